/** The settings that every run pins, for tests that are about other settings: the defaults, and room for all runs. */
import type { AttemptSettings } from '../../src/protocol/pinned-settings.ts';
import { defaultSettings } from '../../src/settings/settings.ts';

const { recovery, sandbox, gateway, budget, setup, classify } = defaultSettings;

export const PINNED_DEFAULTS = {
  ...{ recovery, sandbox, gateway, budget, setup },
  capacity: { runsMax: 1000, perAgentMax: 1000 },
  rules: classify.rules,
} satisfies Partial<AttemptSettings>;
