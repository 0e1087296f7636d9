// Loaded before a program: its wall clock is wrong by CLOCK_SHIFT_SECONDS, and by as much the other way after SIGUSR2.
const right = Date;
let shiftMs = Number(process.env.CLOCK_SHIFT_SECONDS) * 1_000;
process.on('SIGUSR2', () => {
  shiftMs = -shiftMs;
});
globalThis.Date = class extends right {
  constructor(...given) {
    if (given.length === 0) super(right.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return right.now() + shiftMs;
  }
};
