/** Every key of the section `steering`, in the notation of the rules for projects. */
import { DETECTORS, THRESHOLDS } from '../protocol/contracts/steering-contract.ts';

const ofDetectors = [...DETECTORS.map((name) => `${name}.mode`), ...Object.keys(THRESHOLDS)];

export const STEERING_KEYS: readonly string[] = [
  ...['mode', 'check_turns', 'cooldown_turns', 'held_out', 'learn'],
  ...['overrides[].model', 'overrides[].role', 'overrides[].domain', 'overrides[].mode'],
  ...ofDetectors.flatMap((key) => [`detectors.${key}`, `overrides[].detectors.${key}`]),
].map((key) => `steering.${key}`);
