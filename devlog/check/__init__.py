"""What is wrong with a site that can be built all the same: one module for each family of rules."""
