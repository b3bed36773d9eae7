/** The rules of supervision as a library of its own: values in, decisions out. */
export { admitRestart } from './intensity.ts';
export type { Intensity, Restarts } from './intensity.ts';
export { comesBack, restartedWith } from './strategy.ts';
export type { ChildEnd, Restart, Strategy } from './strategy.ts';
