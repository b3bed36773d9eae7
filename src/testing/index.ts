/** For tests of programs built on this one: time and chance that a test decides. */
export { drawInt, drawOne, seededLuck } from '../base/luck.ts';
export { ManualClock, settle } from './manual-clock.ts';
