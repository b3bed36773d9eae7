/** Schema of the commands that Supervisor runs itself: `setup` before an agent, `gates` after it. */
import { z } from 'zod';
import { defined } from '../base/defined.ts';
import { duration, KEYS, matching, text } from './schema-fields.ts';

const word = text(0, 8192, 'text of up to 8192 characters (quote it if it looks like a number)');
const commandError = 'a list of 1 to 100 texts that starts with the program';
const command = z
  .array(word, { error: commandError })
  .min(1, { error: commandError })
  .max(100, { error: commandError });

/** Fields that only the gates of a role have. */
const fromRole: {
  /** Advisory gate: a failure is reported but does not fail the run, and a pass does not count as verification. */
  readonly warns?: boolean;
  /** A failure ends the run as blocked: no agent tries again. */
  readonly blocks?: boolean;
} = {};

export const Gate = z
  .strictObject(
    {
      name: matching(
        /^[a-zA-Z0-9][a-zA-Z0-9 _.:-]{0,63}$/,
        'a name of up to 64 letters, digits, spaces and _ . : -',
      ).describe('The name of the gate in records and messages; required.'),
      command: command.describe('The program and its arguments, run without a shell; required.'),
      timeout: duration('1s', '24h')
        .prefault('10m')
        .describe('The gate is red if it takes longer than this. Default: 10m.'),
      accept_unprotected: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe(
          'Whether the gate verifies a run even if files that the agent changed can affect its verdict. Default: false.',
        ),
      tests_may_change: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe(
          'Whether the gate uses the tests as the agent changed them. Default: false, it uses the tests of the base.',
        ),
      count: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe('Whether its test runners must report their tests. Default: true.'),
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
        /** If false, only the exit code decides, and tests are not counted. */
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
      command: command.describe('The program and its arguments, run without a shell; required.'),
      inputs: z
        .array(inside, { error: 'a list of paths inside the project' })
        .max(100, { error: 'a list of up to 100 paths inside the project' })
        .prefault([])
        .describe(
          'Files that the result depends on. If one changes, setup runs again. Default: none.',
        ),
      network: z
        .array(
          matching(
            /^(registry|[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?)$/,
            'registry (the package registries of this machine), or a host with or without :port',
          ),
          { error: 'a list of hosts' },
        )
        .max(100, { error: 'a list of up to 100 hosts' })
        .prefault([])
        .describe('Hosts that setup can reach. Default: none.'),
      timeout: duration('1s', '24h')
        .prefault('30m')
        .describe('If setup takes longer than this, the run fails. Default: 30m.'),
    },
    KEYS,
  )
  .transform(({ timeout, ...setup }) => ({ ...setup, timeoutMs: timeout }));
