"""Numbers and names of the C interface: status codes, dtypes, formats, products, modes."""
