"""Reports as pages of HTML that open from a disk and fetch nothing: of recordings and of results."""
