-- What sharing two cards of two ports each costs a program, by the file of the node.
return scenario {
    platform = platform { topology = { file = "two-cards.xml", nic_speed = 100 } },
    utilization = { 0.1, 0.3 },
    demand = { "independent", "correlated" },
}
