"""The classes of the reports; each module is loaded when it is needed."""
