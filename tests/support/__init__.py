"""What several groups of tests share."""
