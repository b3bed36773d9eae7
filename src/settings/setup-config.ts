/** Schema of `setup`: the command that prepares a copy of the project before an agent starts. */
import { z } from 'zod';
import { command, duration, insideProject, matching } from './schema-fields.ts';

export const Setup = z
  .strictObject(
    {
      command: command.describe('The program and its arguments, run without a shell; required.'),
      inputs: z
        .array(insideProject, { error: 'a list of paths inside the project' })
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
    { error: 'keys such as {command: [npm, ci]}' },
  )
  .transform(({ timeout, ...setup }) => ({ ...setup, timeoutMs: timeout }));
