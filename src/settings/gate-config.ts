/** Schema of one of the `gates`: a check that Supervisor runs after an agent. */
import { z } from 'zod';
import { defined } from '../base/defined.ts';
import {
  amount,
  command,
  duration,
  insideProject,
  KEYS,
  matching,
  size,
  text,
} from './schema-fields.ts';

/** What a gate does with its run when it is red. */
const ON_FAIL = ['retry', 'block', 'warn', 'ask'] as const;
export type OnFail = (typeof ON_FAIL)[number];

/** Fields that are pinned with a run. An absent field has its default. */
type PinnedOptions = {
  readonly warns?: boolean;
  readonly blocks?: boolean;
  readonly asks?: boolean;
};

const gateName = matching(
  /^[a-zA-Z0-9][a-zA-Z0-9 _.:-]{0,63}$/,
  'a name of up to 64 letters, digits, spaces and _ . : -',
);

const yesOrNo = z.boolean({ error: 'true or false' }).optional();

const Coverage = z
  .strictObject(
    {
      file: insideProject.describe('The file that the command writes; required.'),
      format: z
        .enum(['lcov', 'cobertura'], { error: 'one of lcov, cobertura' })
        .describe('The format of that file; required.'),
      min: amount(0, 100)
        .prefault(80)
        .describe('The gate is red if fewer percent of all lines are covered. Default: 80.'),
      changed_min: amount(0, 100)
        .optional()
        .describe(
          'The gate is red if fewer percent of the changed lines are covered. Default: none.',
        ),
    },
    KEYS,
  )
  .transform(({ changed_min: changedMin, ...coverage }) => ({
    ...coverage,
    ...defined({ changedMin }),
  }));

export const Gate = z
  .strictObject(
    {
      name: gateName.describe('The name of the gate in records and messages; required.'),
      command: command.describe('The program and its arguments, run without a shell; required.'),
      timeout: duration('1s', '24h')
        .prefault('10m')
        .describe('The gate is red if it takes longer than this. Default: 10m.'),
      on_fail: z
        .enum(ON_FAIL, { error: 'one of retry, block, warn, ask' })
        .optional()
        .describe(
          'What happens when the gate is red: retry lets the agent fix it, block ends the run as blocked, warn only reports it, ask lets you decide. Default: retry, but warn if severity is not error.',
        ),
      severity: z
        .enum(['error', 'warning', 'info'], { error: 'one of error, warning, info' })
        .prefault('error')
        .describe('How a red gate is shown. Default: error.'),
      depends_on: z
        .array(gateName, { error: 'a list of names of gates' })
        .max(50, { error: 'a list of up to 50 names of gates' })
        .prefault([])
        .describe(
          'Gates that run before this one. If one of them is red, this one is skipped. Default: none.',
        ),
      skip_on_dependency_failure: yesOrNo.describe(
        'Whether it is skipped if a gate of depends_on is red. Default: true.',
      ),
      working_dir: insideProject
        .optional()
        .describe('The folder of the project that the command starts in. Default: the project.'),
      env: z
        .record(
          matching(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name of a variable'),
          text(0, 8192, 'text of up to 8192 characters (quote it if it looks like a number)'),
          { error: 'variables with their values' },
        )
        .optional()
        .describe('Variables of the command. Default: none.'),
      allow_shell: yesOrNo.describe(
        'Whether the command may start a shell with a line of its own, such as sh -c. Default: false.',
      ),
      allowed_writes: z
        .array(insideProject, { error: 'a list of paths inside the project, with * and **' })
        .max(100, { error: 'a list of up to 100 paths' })
        .optional()
        .describe(
          'Files that the command may write, create or delete in its copy of the project. It is red if it changes others. Default: all.',
        ),
      report: insideProject
        .optional()
        .describe(
          'The file in which the command reports its tests as JUnit XML or TAP, or stdout for TAP there. Default: none.',
        ),
      coverage: Coverage.optional().describe(
        'The coverage that the command has to reach and where it writes it. Default: none.',
      ),
      protect: z
        .enum(['report', 'block'], { error: 'one of report, block' })
        .prefault('report')
        .describe(
          'Whether changed tests, CI files, definitions of gates and settings of Supervisor are only listed, or end the run as blocked. Default: report.',
        ),
      prove: z
        .enum(['report', 'block'], { error: 'one of report, block' })
        .optional()
        .describe(
          'Whether a green gate has to notice a mutant of the changed lines: report says whether it does, block makes it red if it does not. Default: no mutant is tried.',
        ),
      parallel_safe: yesOrNo.describe(
        'Whether the gate may run at the same time as the gates beside it that also say so. Default: false.',
      ),
      cache: z
        .union([z.boolean(), duration('1s', '24h')], {
          error: 'true (one hour), false, or a duration from 1s to 24h',
        })
        .prefault(false)
        .describe(
          'How long a result is used again for the same files, command and environment. true is 1h. Default: false, never.',
        ),
      cache_inputs: z
        .array(insideProject, { error: 'a list of paths inside the project, with * and **' })
        .min(1, { error: 'a list of at least one path' })
        .max(100, { error: 'a list of up to 100 paths' })
        .optional()
        .describe(
          'For cache: the only files of the project that decide the result. Default: all files.',
        ),
      memory: size('16MB', '999GB')
        .optional()
        .describe('The memory of the command. Default: 2GB, or sandbox.memory if that is less.'),
      cpus: amount(0.1, 1024)
        .optional()
        .describe('The processors of the command. Default: 1, or sandbox.cpus if that is less.'),
      accept_unprotected: yesOrNo.describe(
        'Whether the gate verifies a run even if files that the agent changed can affect its verdict. Default: false.',
      ),
      tests_may_change: yesOrNo.describe(
        'Whether the gate uses the tests as the agent changed them. Default: false, it uses the tests of the base.',
      ),
      count: yesOrNo.describe('Whether its test runners must report their tests. Default: true.'),
    },
    { error: 'keys such as {name: test, command: [npm, test]}' },
  )
  .superRefine(({ cache, cache_inputs: inputs }, context) => {
    if (inputs === undefined || cache !== false) return;
    const message = 'no cache_inputs without cache: no result is used again';
    context.addIssue({ code: 'custom', path: ['cache_inputs'], message });
  })
  .transform(({ name, command: words, timeout, ...written }) => ({
    name,
    command: words,
    timeoutMs: timeout,
    ...onFailFields(written.on_fail ?? (written.severity === 'error' ? 'retry' : 'warn')),
    ...defined({
      severity: written.severity === 'error' ? undefined : written.severity,
      dependsOn: written.depends_on.length === 0 ? undefined : written.depends_on,
      runsAfterRed: written.skip_on_dependency_failure === false ? true : undefined,
      workingDir: written.working_dir,
      env: written.env,
      allowedWrites: written.allowed_writes,
      protect: written.protect === 'block' ? written.protect : undefined,
      prove: written.prove,
      parallelSafe: written.parallel_safe === true ? true : undefined,
      report: written.report,
      coverage: written.coverage,
      cacheMs: cacheMs(written.cache),
      cacheInputs: written.cache_inputs,
      memoryBytes: written.memory,
      cpus: written.cpus,
      acceptsUnprotected: written.accept_unprotected === true ? true : undefined,
      testsMayChange: written.tests_may_change === true ? true : undefined,
      /** If false, only the exit code decides, and tests are not counted. */
      count: written.count === false ? false : undefined,
    }),
  }));

const CACHE_MS = 3_600_000;

function cacheMs(written: boolean | number): number | undefined {
  if (typeof written === 'number') return written;
  return written ? CACHE_MS : undefined;
}

export function onFailFields(onFail: OnFail): PinnedOptions {
  return {
    ...(onFail === 'warn' ? { warns: true } : {}),
    ...(onFail === 'block' ? { blocks: true } : {}),
    ...(onFail === 'ask' ? { asks: true } : {}),
  };
}
