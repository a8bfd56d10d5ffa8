"""simulation.grammar: words and phrases from which simulated news is made, written for this project.

A relation is a thing that happened, said in three ways; the first is the shortest and serves as its content
unit. Slots: ``P`` and ``Q`` people, ``O`` an organisation, ``L`` a place, ``D`` a date, ``F`` a figure.
"""

from __future__ import annotations

FIRST_NAMES = (
    "Ada Aldo Anouk Arne Aziza Bela Bruno Carla Ciro Dalia Dario Edda Elio Esra Fabian Farida Gesa Goran Hanna Hiro "
    "Ilse Ivo Jana Jonas Kaja Karim Lale Lars Leonie Luca Maja Marek Mina Nadia Nils Noor Olga Oskar Petra Rafael "
    "Rosa Samir Selma Soren Tamar Tariq Uma Vera Viktor Yara Yusuf Zora"
).split()
LAST_NAMES = (
    "Abram Albers Amato Baranov Bergson Bianchi Brandt Castell Cerny Dahl Delgado Dorn Eklund Engel Faruk Fiala Galli "
    "Gerber Halim Harlow Hofer Ibsen Jansky Jurado Kader Kessler Kovac Larue Lindqvist Lorenz Maier Marchetti Moreau "
    "Nagel Novak Okoro Olsen Paasche Petrov Quandt Ramirez Rossi Sabato Sauer Silva Tanaka Thiele Ullmann Vance Varga "
    "Weiss Wirth Yilmaz Zeman"
).split()
PLACES = (
    "Altmark Arvenna Belport Brunau Caldera Corvik Dunmore Eastwick Elmsee Ferrol Garda Greyfield Halden Istria Jarrow "
    "Kalmar Kirkby Lindau Lomas Marbella Meran Norfeld Oakham Ostrava Pelham Porthaven Quarnero Ravensburg Rosedale "
    "Salina Silverton Tarnow Thornby Umbria Vestland Viborg Westmere Wolden Yarrow Zellwald"
).split()
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "March",
    "April",
    "May",
    "June",
    "August",
    "September",
    "October",
    "November",
    "December",
)

ORGANISATIONS = {
    "flood": ("{} Water Board", "{} Rescue Service", "{} Weather Office"),
    "election": ("{} Reform Party", "{} Unity League", "{} Electoral Council"),
    "football": ("{} United", "{} Rovers", "{} Athletic"),
    "court": ("{} District Court", "{} Police", "{} Bar Association"),
    "business": ("{} Holdings", "{} Motors", "{} Savings Bank"),
    "science": ("{} Institute of Physics", "{} Observatory", "{} Marine Laboratory"),
    "transport": ("{} Rail", "{} Airport Authority", "{} Ferries"),
    "health": ("{} General Hospital", "{} Health Trust", "{} Medical School"),
    "music": ("{} Philharmonic", "{} Festival", "{} Records"),
    "farming": ("{} Growers' Union", "{} Dairy Cooperative", "{} Seed Company"),
}

RELATIONS = {
    "flood": (
        (
            "A dam broke near {L}.",
            "Near {L} the dam gave way under the rising river.",
            "The river burst through its dam close to {L}.",
        ),
        (
            "The flood destroyed {F} houses in {L}.",
            "In {L}, {F} houses were swept away by the water.",
            "Flood water ruined {F} homes around {L}.",
        ),
        (
            "{O} rescued {F} people.",
            "Boats of {O} brought {F} people to safety.",
            "{F} stranded residents were saved by {O}.",
        ),
        (
            "{P} lost a farm in the flood.",
            "The farm that {P} had run for years is under water.",
            "Flooding took the farm of {P}.",
        ),
        (
            "{O} had warned of heavy rain on {D}.",
            "A warning of heavy rain had come from {O} on {D}.",
            "On {D} forecasters at {O} expected a storm.",
        ),
        (
            "Schools in {L} stay closed until {D}.",
            "Pupils in {L} will not return before {D}.",
            "There are no lessons in {L} until {D}.",
        ),
    ),
    "election": (
        (
            "{P} won the election in {L}.",
            "Voters in {L} chose {P} as their new mayor.",
            "{P} takes the mayor's office of {L} after the vote.",
        ),
        ("{O} received {F} votes.", "{F} ballots were cast for {O}.", "For {O} the count came to {F}."),
        (
            "{P} accused {O} of fraud.",
            "Fraud was alleged by {P}, who blamed {O}.",
            "{O} cheated, according to {P}.",
        ),
        (
            "A second round will be held on {D}.",
            "The runoff has been set for {D}.",
            "Voting continues with another round on {D}.",
        ),
        (
            "{P} promised lower rents in {L}.",
            "Cheaper housing in {L} was the pledge of {P}.",
            "{P} campaigned for rents in {L} to fall.",
        ),
        (
            "{Q} withdrew from the race.",
            "The candidate {Q} gave up before the vote.",
            "{Q} is no longer standing for office.",
        ),
    ),
    "football": (
        (
            "{P} scored {F} goals for {O}.",
            "{O} owed {F} goals to the striker {P}.",
            "With {F} goals {P} carried {O}.",
        ),
        (
            "{O} won the match in {L}.",
            "The game at {L} ended in victory for {O}.",
            "{O} left {L} with all the points.",
        ),
        (
            "{P} will join {O} on {D}.",
            "A contract takes {P} to {O} from {D}.",
            "From {D} on {P} plays for {O}.",
        ),
        (
            "{Q} was injured in training.",
            "An injury during practice stopped {Q}.",
            "{Q} got hurt while preparing for the game.",
        ),
        (
            "The coach {P} praised the defence.",
            "Praise for the back line came from manager {P}.",
            "Manager {P} was pleased with how the team defended.",
        ),
        (
            "{F} fans travelled to {L}.",
            "A crowd of {F} followed the team to {L}.",
            "The stadium in {L} welcomed {F} visiting supporters.",
        ),
    ),
    "court": (
        (
            "{P} was found guilty of theft.",
            "A jury convicted {P} of stealing.",
            "The theft trial ended with the conviction of {P}.",
        ),
        (
            "{O} sentenced {P} to {F} months.",
            "{F} months in prison is the term that {O} gave {P}.",
            "{P} must serve {F} months, {O} ruled.",
        ),
        ("{Q} testified on {D}.", "On {D} the witness {Q} took the stand.", "The court heard {Q} on {D}."),
        (
            "Police searched a flat in {L}.",
            "Officers went through an apartment at {L}.",
            "A home in {L} was searched by detectives.",
        ),
        (
            "The lawyer {Q} will appeal.",
            "An appeal was announced by defence counsel {Q}.",
            "{Q}, for the defence, intends to challenge the ruling.",
        ),
        (
            "The stolen paintings are worth {F} crowns.",
            "At {F} crowns the missing art was valued.",
            "Experts put the value of the stolen art at {F} crowns.",
        ),
    ),
    "business": (
        (
            "{O} will cut {F} jobs.",
            "{F} employees of {O} are to lose their work.",
            "At {O} a total of {F} posts disappear.",
        ),
        (
            "{P} became head of {O}.",
            "The board of {O} made {P} its chief executive.",
            "{O} is now led by {P}.",
        ),
        (
            "{O} opened a factory in {L}.",
            "A new plant of {O} started production at {L}.",
            "In {L} machines are running at the works of {O}.",
        ),
        (
            "Profits of {O} rose by {F} per cent.",
            "{O} earned {F} per cent more than a year ago.",
            "An increase in profit of {F} per cent was reported by {O}.",
        ),
        (
            "{Q} sold all shares on {D}.",
            "The investor {Q} got rid of every share on {D}.",
            "On {D} the stake of {Q} went on the market.",
        ),
        (
            "Workers went on strike in {L}.",
            "A walkout brought work in {L} to a halt.",
            "Staff in {L} laid down tools.",
        ),
    ),
    "science": (
        (
            "{P} discovered a new comet.",
            "An unknown comet was found by the astronomer {P}.",
            "It was {P} who first saw the comet.",
        ),
        (
            "{O} received a grant of {F} crowns.",
            "Research at {O} is funded with {F} crowns.",
            "{F} crowns go to {O} for its studies.",
        ),
        (
            "The study followed {F} patients.",
            "{F} patients took part in the research.",
            "Data came from {F} people under treatment.",
        ),
        (
            "{P} published the results on {D}.",
            "The findings of {P} appeared on {D}.",
            "On {D} the paper by {P} came out.",
        ),
        (
            "A probe of {O} landed safely.",
            "{O} brought its spacecraft down without damage.",
            "The lander built by {O} reached the ground intact.",
        ),
        (
            "{Q} doubts the measurement.",
            "The measurement may be wrong, {Q} believes.",
            "{Q} is not convinced by the numbers.",
        ),
    ),
    "transport": (
        (
            "A train left the rails near {L}.",
            "Near {L} several carriages derailed.",
            "A derailment blocked the line at {L}.",
        ),
        (
            "{F} passengers were injured.",
            "Injuries were reported by {F} travellers.",
            "{F} people on board were hurt.",
        ),
        (
            "{O} cancelled all trips until {D}.",
            "Until {D} nothing runs at {O}.",
            "Services of {O} are suspended up to {D}.",
        ),
        ("{P} drove the train.", "At the controls was {P}.", "The driver was named as {P}."),
        (
            "{O} ordered {F} new vehicles.",
            "An order for {F} vehicles was placed by {O}.",
            "The fleet of {O} grows by {F} vehicles.",
        ),
        (
            "A bridge in {L} will be closed.",
            "Traffic in {L} loses its bridge.",
            "The crossing at {L} is to be shut.",
        ),
    ),
    "health": (
        (
            "{F} people in {L} caught measles.",
            "Measles spread to {F} residents of {L}.",
            "In {L} doctors counted {F} cases of measles.",
        ),
        (
            "{O} tested a new vaccine.",
            "Trials of a vaccine took place at {O}.",
            "A vaccine was tried on volunteers by {O}.",
        ),
        (
            "{P} received a new heart.",
            "Surgeons transplanted a heart into {P}.",
            "A donor heart keeps {P} alive.",
        ),
        (
            "The surgeon {Q} led the operation.",
            "In charge of the operation was doctor {Q}.",
            "{Q} headed the team in theatre.",
        ),
        (
            "{O} will open a clinic on {D}.",
            "From {D} patients can visit a clinic of {O}.",
            "The clinic that {O} built starts work on {D}.",
        ),
        (
            "Nurses in {L} demand higher pay.",
            "Better wages are wanted by nursing staff in {L}.",
            "Pay is too low, say nurses from {L}.",
        ),
    ),
    "music": (
        (
            "{P} sang at the opening in {L}.",
            "The opening night at {L} belonged to the voice of {P}.",
            "{P} performed when the hall in {L} opened.",
        ),
        (
            "{O} sold {F} tickets.",
            "{F} seats were taken at the concert of {O}.",
            "The audience of {O} numbered {F}.",
        ),
        (
            "The new album of {P} appears on {D}.",
            "On {D} {P} releases another record.",
            "Fans can buy the record by {P} from {D}.",
        ),
        ("{Q} conducted the orchestra.", "The baton was in the hands of {Q}.", "Musicians played under {Q}."),
        (
            "{P} won a prize of {F} crowns.",
            "A jury awarded {P} {F} crowns.",
            "{F} crowns went to {P} as first prize.",
        ),
        ("{O} will tour through {L}.", "A tour takes {O} to {L}.", "{L} is a stop on the journey of {O}."),
    ),
    "farming": (
        (
            "The harvest in {L} failed.",
            "Fields around {L} yielded almost nothing.",
            "There was hardly anything to bring in near {L}.",
        ),
        (
            "{O} raised milk prices by {F} per cent.",
            "Milk from {O} costs {F} per cent more.",
            "{F} per cent is added to the price of milk at {O}.",
        ),
        (
            "{P} grows rice without irrigation.",
            "Rice on the fields of {P} needs no extra water.",
            "No irrigation is used for the rice of {P}.",
        ),
        (
            "A drought has lasted since {D}.",
            "No rain has fallen since {D}.",
            "Since {D} the ground has stayed dry.",
        ),
        (
            "{O} gave seed to {F} farms.",
            "{F} farms got their seed from {O}.",
            "Seed was handed out by {O} to {F} holdings.",
        ),
        (
            "{Q} sold {F} sheep at the market.",
            "At the market {F} sheep changed hands, all owned by {Q}.",
            "The market took {F} sheep from {Q}.",
        ),
    ),
}

# fit any story
COMMON = (
    (
        "{P} spoke to reporters in {L}.",
        "In {L} the press heard from {P}.",
        "{P} answered questions of journalists at {L}.",
    ),
    (
        "{O} denied all charges.",
        "The accusations were rejected by {O}.",
        "{O} says that nothing in the charges is true.",
    ),
    (
        "{P} has lived in {L} for {F} years.",
        "For {F} years {L} has been home to {P}.",
        "{L} became the home of {P} {F} years ago.",
    ),
    ("{Q} is a cousin of {P}.", "{P} and {Q} are cousins.", "{P} has a cousin called {Q}."),
    (
        "The mayor {Q} thanked the volunteers.",
        "Volunteers were thanked by mayor {Q}.",
        "Thanks to all helpers came from the mayor, {Q}.",
    ),
    (
        "{O} was founded {F} years ago.",
        "The history of {O} goes back {F} years.",
        "{O} has existed for {F} years.",
    ),
    ("{P} arrived on {D}.", "The arrival of {P} was on {D}.", "On {D} {P} reached the scene."),
    ("A meeting will take place on {D}.", "People will meet on {D}.", "{D} is the date of the next meeting."),
    ("{Q} wrote a letter to {O}.", "{O} got a letter from {Q}.", "A letter by {Q} reached {O}."),
    (
        "{F} people signed a petition.",
        "A petition found {F} supporters.",
        "Support for the petition came from {F} citizens.",
    ),
    ("{O} moved its offices to {L}.", "The offices of {O} are now in {L}.", "{L} is the new seat of {O}."),
    ("{P} refused to comment.", "No comment came from {P}.", "{P} would not say anything about it."),
)

TAILS = (
    ", officials said",
    ", according to a statement",
    ", local media reported",
    " after weeks of waiting",
    " despite earlier doubts",
    ", witnesses recalled",
    " for the first time in years",
    ", a spokesman confirmed",
)
FILLERS = (
    "The story has been told many times.",
    "Nobody knows what will happen next.",
    "More details are expected soon.",
    "The weather was mild that morning.",
    "Neighbours were surprised by the news.",
    "It was not the first time.",
    "Opinions about it differ widely.",
    "The news spread quickly.",
)
