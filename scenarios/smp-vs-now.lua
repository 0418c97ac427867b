-- Table 7.7 of the thesis: five application runs on one 8-processor Enterprise 5000 and on a NOW of 8
-- workstations. All messages go through shared memory, so NICs play no role: what remains is the
-- cheaper communication, and memory that is slower (table 5.4) and shared (7.4.1). Traffic is that
-- of table 5.6, LogGP parameters are those of table 7.6.

return scenario {
  title = "One 8-processor SMP against a NOW of 8 workstations",
  application = {
    application "SAMPLE",
    application "CON/comp",
    application "CON/comm",
    application "3-D FFT",
    application "EM3D",
  },
  platform = platform "e5000-smp",
}
