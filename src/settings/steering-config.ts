/** Schema of the section `steering`: how the turns of an agent are watched, and whether it hears of what is found. */
import { z } from 'zod';
import { defined } from '../base/defined.ts';
import type {
  DetectorName,
  ModeChanges,
  PinnedSteering,
  ThresholdChanges,
} from '../protocol/contracts/steering-contract.ts';
import {
  DEFAULT_STEERING,
  DETECTORS,
  STEERING_MODES,
  THRESHOLDS,
} from '../protocol/contracts/steering-contract.ts';
import { TASK_DOMAINS } from '../protocol/contracts/organization-contract.ts';
import { amount, KEYS, text, whole } from './schema-fields.ts';

const MODES = `one of ${STEERING_MODES.join(', ')}`;
/** Words for what other tools do: they cut out what a model has read. */
const REWRITES = new Set<unknown>(['surgery', 'rewrite']);

const mode = z.enum(STEERING_MODES, {
  error: ({ input }) =>
    REWRITES.has(input) ? `${MODES} (no conversation is ever rewritten)` : MODES,
});

/** The keys of one detector: its mode and its thresholds. */
function detectorKeys(detector: DetectorName): z.ZodObject<Record<string, z.ZodType>> {
  const thresholds = Object.entries(THRESHOLDS).flatMap(([name, { initial, least, most }]) => {
    const [owner, key = ''] = name.split('.');
    if (owner !== detector) return [];
    const range = Number.isInteger(least) ? whole(least, most) : amount(least, most);
    return [[key, range.optional().describe(`From ${least} to ${most}. Default: ${initial}.`)]];
  });
  return z.strictObject(
    {
      mode: mode
        .optional()
        .describe('off, shadow, steer or auto for this detector. Default: as steering.mode.'),
      ...(Object.fromEntries(thresholds) as Record<string, z.ZodType>),
    },
    KEYS,
  );
}

const Detectors = z.strictObject(
  Object.fromEntries(
    DETECTORS.map((name) => [
      name,
      detectorKeys(name).optional().describe(`The mode and the thresholds of ${name}.`),
    ]),
  ),
  KEYS,
);
type WrittenDetectors = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

function readDetectors(written: WrittenDetectors): {
  readonly modes: ModeChanges;
  readonly thresholds: ThresholdChanges;
} {
  const modes = DETECTORS.map((name) => [name, written[name]?.['mode']]);
  const thresholds = Object.keys(THRESHOLDS).map((name) => {
    const [detector = '', key = ''] = name.split('.');
    return [name, written[detector]?.[key]];
  });
  return {
    modes: defined(Object.fromEntries(modes) as ModeChanges),
    thresholds: defined(Object.fromEntries(thresholds) as ThresholdChanges),
  };
}

const name = text(1, 200, 'text of 1 to 200 characters');

const Override = z
  .strictObject(
    {
      model: name.optional().describe('A model; * stands for any text. Default: all models.'),
      role: name.optional().describe('A role. Default: all runs.'),
      domain: z
        .enum(TASK_DOMAINS, { error: `one of ${TASK_DOMAINS.join(', ')}` })
        .optional()
        .describe(
          'The work that the turns show: coding, testing, operations, research or conversation. Needs an organization. Default: all.',
        ),
      mode: mode.optional().describe('The mode of its detectors. Default: as steering.mode.'),
      detectors: Detectors.prefault({}).describe('Its detectors, as in steering.detectors.'),
    },
    KEYS,
  )
  .transform(({ detectors, model, role, domain, mode: chosen }) => ({
    ...defined({ model, role, domain, mode: chosen }),
    ...readDetectors(detectors as WrittenDetectors),
  }));

const { checkTurns, cooldownTurns, heldOut } = DEFAULT_STEERING;

export const Steering = z
  .strictObject(
    {
      mode: mode
        .prefault('shadow')
        .describe(
          'What happens when a detector finds something: off, shadow (it is recorded), steer (the agent is told) or auto (the agent is told if the numbers say that it pays). Default: shadow.',
        ),
      check_turns: whole(1, 20)
        .prefault(checkTurns)
        .describe(`How many turns lie between two checks. Default: ${checkTurns}.`),
      cooldown_turns: whole(1, 100)
        .prefault(cooldownTurns)
        .describe(`How many turns a detector is quiet after it spoke. Default: ${cooldownTurns}.`),
      held_out: amount(0, 1)
        .prefault(heldOut)
        .describe(
          `The share of runs that get no message, so that its effect can be measured. Default: ${heldOut}.`,
        ),
      learn: z
        .boolean({ error: 'true or false' })
        .prefault(true)
        .describe(
          'Whether runs that succeeded raise the thresholds of loop, stagnation and stall that you do not set. Default: true.',
        ),
      detectors: Detectors.prefault({}).describe('Modes and thresholds by detector.'),
      overrides: z
        .array(Override, { error: 'a list of overrides' })
        .max(50, { error: 'a list of up to 50 overrides' })
        .prefault([])
        .describe('What differs for some models or roles. The last match counts. Default: none.'),
    },
    KEYS,
  )
  .transform((written): PinnedSteering => ({
    mode: written.mode,
    checkTurns: written.check_turns,
    cooldownTurns: written.cooldown_turns,
    heldOut: written.held_out,
    ...(!written.learn && { learn: false as const }),
    ...readDetectors(written.detectors as WrittenDetectors),
    overrides: written.overrides,
  }));
