"""Parts of the site's pages that are made while it is built: pictures and tables, each a function of the language."""
