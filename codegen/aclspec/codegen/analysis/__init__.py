"""What is known of a call at a place of its spec: bounds of integer terms, facts, and what they decide."""
