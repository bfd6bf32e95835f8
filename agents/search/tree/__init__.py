"""The tree of information sets: nodes, edges, selection rules, and simulations in C."""
