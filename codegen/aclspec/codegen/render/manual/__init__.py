"""The pages of the manual: what the templates show, decided here."""
