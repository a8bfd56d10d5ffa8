"""What the notebooks call: the kit, and one module per notebook."""
