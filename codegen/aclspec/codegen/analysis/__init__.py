"""What is known of a call at a place of its spec: intervals of integer terms, facts, and what they decide."""
