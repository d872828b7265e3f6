// A library that is no tool.
int nothing_of_interest;
