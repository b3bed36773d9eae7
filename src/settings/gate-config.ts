/** What a person may write of the commands that we run ourselves: before an agent, and after it. */
import { z } from 'zod';
import { defined } from '../base/defined.ts';
import { duration, KEYS, matching, text } from './schema-fields.ts';

const word = text(0, 8192, 'text of up to 8192 characters (quote it if it looks like a number)');
const commandError = 'a list of 1 to 100 texts, the program first';
const command = z
  .array(word, { error: commandError })
  .min(1, { error: commandError })
  .max(100, { error: commandError });

/** Only a role says these of a gate. */
const fromRole: {
  /** A red one is said and fails nothing, so that a green one proves nothing either. */
  readonly warns?: boolean;
  /** A red one ends the run as blocked: no agent tries again. */
  readonly blocks?: boolean;
} = {};

export const Gate = z
  .strictObject(
    {
      name: matching(
        /^[a-zA-Z0-9][a-zA-Z0-9 _.:-]{0,63}$/,
        'a name of up to 64 letters, digits, spaces and _ . : -',
      ).describe('What it is called in every record; required.'),
      command: command.describe('Program and arguments, without a shell; required.'),
      timeout: duration('1s', '24h')
        .prefault('10m')
        .describe('How long it may take before it counts as red. Default: 10m.'),
      accept_unprotected: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe('Whether it counts as proof where files of the work may decide how it judges.'),
      tests_may_change: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe('Whether tests are judged as the work has them. Default: as the base has them.'),
      count: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe('Whether its test runners have to report their tests. Default: true.'),
    },
    KEYS,
  )
  .transform(
    ({ timeout, accept_unprotected: accepts, tests_may_change: mayChange, count, ...gate }) => ({
      ...gate,
      ...fromRole,
      timeoutMs: timeout,
      ...defined({
        acceptsUnprotected: accepts === true ? true : undefined,
        testsMayChange: mayChange === true ? true : undefined,
        /** False: its exit code alone decides, and its tests are not counted. */
        count: count === false ? false : undefined,
      }),
    }),
  );

const inside = matching(
  /^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\0]{1,1000}$/,
  'a path inside the project, without . and ..',
);

export const Setup = z
  .strictObject(
    {
      command: command.describe('Program and arguments, without a shell; required.'),
      inputs: z
        .array(inside, { error: 'a list of paths inside the project' })
        .max(100, { error: 'a list of up to 100 paths inside the project' })
        .prefault([])
        .describe('The files that its result depends on: it runs anew when one changes.'),
      network: z
        .array(
          matching(
            /^(registry|[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?)$/,
            'registry (where the package managers of this machine look), or a host with or without :port',
          ),
          { error: 'a list of hosts' },
        )
        .max(100, { error: 'a list of up to 100 hosts' })
        .prefault([])
        .describe('What it may reach. Default: nothing.'),
      timeout: duration('1s', '24h')
        .prefault('30m')
        .describe('How long it may take before the run is given up. Default: 30m.'),
    },
    KEYS,
  )
  .transform(({ timeout, ...setup }) => ({ ...setup, timeoutMs: timeout }));
