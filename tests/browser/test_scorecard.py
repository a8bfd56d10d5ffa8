"""The scorecard's search, filters and addresses, worked by keyboard."""

from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import show, soup_of, until

pytestmark = pytest.mark.browser

PAGE = "book/executed/scorecard.html"


def shown(driver: Any) -> list[str]:
    """Ids of the claims that can be seen."""
    return driver.execute_script(
        "return [...document.querySelectorAll('.claim:not([hidden])')].map((c) => c.id)"
    )


def field(driver: Any, name: str) -> Any:
    """The search field or a menu."""
    return driver.find_element("css selector", f".scorecard-controls [name={name}]")


def opened(driver: Any, where: str) -> None:
    """Load the page anew and wait for all of its claims, which come bit by bit once a reader begins."""
    driver.get("about:blank")
    driver.get(where)
    if "#" not in where:
        assert not shown(driver)
        driver.execute_script("window.scrollBy({ top: 100, behavior: 'instant' })")
    until(driver, lambda: driver.find_elements("css selector", ".scorecard[data-ready]"))


@pytest.fixture
def card(site: Path, address: str, driver: Any) -> str:
    """The scorecard, opened afresh; its address."""
    opened(driver, address + PAGE)
    return address + PAGE


def test_search_and_menus_filter_and_stay_in_the_address(card: str, driver: Any) -> None:
    everything = shown(driver)
    field(driver, "search").send_keys("rouge table")
    found = shown(driver)
    assert 0 < len(found) < len(everything)
    text = driver.execute_script(
        "return document.getElementById(arguments[0]).textContent.toLowerCase()", found[0]
    )
    assert "rouge" in text
    assert "table" in text
    field(driver, "verdict").send_keys("not run")
    verdicts = driver.execute_script(
        "return [...document.querySelectorAll('.claim:not([hidden])')].map((c) => c.dataset.verdict)"
    )
    assert set(verdicts) == {"not run"}
    count = driver.find_element("css selector", ".scorecard-count").text
    assert count == f"{len(verdicts):,} of {len(everything):,} claims"
    filtered, kept = shown(driver), driver.current_url
    opened(driver, kept)
    assert shown(driver) == filtered
    assert field(driver, "search").get_property("value") == "rouge table"
    driver.find_element("css selector", ".scorecard-controls button").click()
    assert shown(driver) == everything
    assert driver.current_url == card


def test_stricter_readings_can_be_seen_alone(card: str, driver: Any) -> None:
    field(driver, "role").send_keys("stricter")
    alone = shown(driver)
    held = soup_of(PAGE).select(".scorecard-paper > noscript > .claim[data-role=stricter]")
    assert alone == [claim["id"] for claim in held] != []
    entries = driver.execute_script(
        "return document.getElementById(arguments[0]).querySelector('dl').textContent", alone[0]
    )
    assert "Not counteda stricter reading" in entries


def test_a_claims_address_opens_it(card: str, driver: Any) -> None:
    wanted = shown(driver)[-1]
    opened(driver, f"{card}#{wanted}")
    ids = "return [...document.querySelectorAll('.claim[open]')].map((claim) => claim.id)"
    assert until(driver, lambda: driver.execute_script(ids)) == [wanted]
    top = driver.execute_script("return document.querySelector('.claim[open]').getBoundingClientRect().top")
    assert 0 <= top < driver.execute_script("return window.innerHeight")
    links = driver.find_elements("css selector", ".claim[open] dd a")
    assert [link.get_attribute("href") for link in links if link.text == "this claim"] == [f"{card}#{wanted}"]


def test_an_address_given_to_an_open_page_and_paper_begin_too(card: str, driver: Any) -> None:
    claim = shown(driver)[-1]
    driver.get("about:blank")
    driver.get(card)
    driver.execute_script("location.hash = arguments[0]", claim)
    until(driver, lambda: driver.execute_script("return document.getElementById(arguments[0])?.open", claim))
    driver.get("about:blank")
    driver.get(card)
    printed = (
        "window.dispatchEvent(new Event('beforeprint')); return document.querySelectorAll('.claim').length"
    )
    assert driver.execute_script(printed) == len(soup_of(PAGE).select(".scorecard-paper > noscript > .claim"))


def test_claims_come_bit_by_bit_and_without_scripts_all_at_once(card: str, driver: Any) -> None:
    held = soup_of(PAGE).select(".scorecard-paper > noscript > .claim")
    assert [claim["id"] for claim in held] == shown(driver)
    assert not soup_of(PAGE).select(".scorecard-paper > .claim")


def test_copies_for_programs_can_be_had(card: str, driver: Any, site: Path) -> None:
    links = driver.find_elements("css selector", ".scorecard-files a")
    assert [link.text for link in links] == ["CSV", "JSON"]
    for link in links:
        path = link.get_attribute("href").partition("/tables/")[2]
        assert (site / "tables" / path).stat().st_size > 0


def test_it_fits_a_phone(card: str, driver: Any) -> None:
    show(driver, "phone")
    try:
        driver.execute_script("for (const claim of document.querySelectorAll('.claim')) claim.open = true")
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 390
        heights = driver.execute_script(
            "return [...document.querySelectorAll('.scorecard-controls :is(input, select, button)')]"
            ".map((c) => c.getBoundingClientRect().height)"
        )
        assert min(heights) >= 43.5
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
