-- A recorded program on nodes of 2 and 4 processors (docs/recording.md).
return scenario {
  title = "Halo exchange on nodes with few NICs",
  platform = platform "lab/fitted",
  application = application "halo",
  processors = { 2, 4 },
  nics = { 1, 2, 4 },
}
