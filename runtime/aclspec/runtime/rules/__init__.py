"""What the rules of an operator are evaluated over, and what they answer."""
