/** Hooks in a person's own sessions, and what the watch over a shared folder finds, as scripts read them. */
import { z } from 'zod';
import { documentSchema, field, time } from './document.ts';

const cli = field(z.string(), 'The CLI: claude, codex, gemini, copilot or opencode.');
const file = field(z.string(), 'The settings file of the CLI.');

export const HooksDocument = documentSchema('hooks', 'The hooks that were installed.', {
  hooks: z.array(
    z.strictObject({
      cli,
      file,
      command: field(z.string(), 'The command line that the hook runs.'),
      is_present: field(z.boolean(), 'Whether the file still has the hook.'),
      installed_at: time,
    }),
  ),
});

export const HookChangeDocument = documentSchema('hook', 'The installation or removal of a hook.', {
  cli,
  file,
  state: field(
    z.enum(['installed', 'already_installed', 'removed', 'not_installed', 'planned']),
    'planned: --dry-run was given, and nothing was changed.',
  ),
  diff: field(z.array(z.string()), 'The change of the file, line by line.'),
});

export type HookState = z.infer<typeof HookChangeDocument>['state'];

export const WatchedDocument = documentSchema(
  'watched',
  'What the watch over a folder has found.',
  {
    at: time,
    kind: field(
      z.enum(['report', 'anomaly', 'refused']),
      'report: a role has reported. refused: a file could not be used.',
    ),
    role: z.string().nullable(),
    state: field(z.string().nullable(), 'Of a report.'),
    pace_level: field(z.string().nullable(), 'Of a report.'),
    health: field(z.string().nullable(), 'Of a report.'),
    detector: z.string().nullable(),
    decision: field(z.string().nullable(), 'What became of the anomaly: shadow, sent, held-out …'),
    message: field(z.int().nullable(), 'The number of the message to the role. Null: none.'),
    file: field(z.string().nullable(), 'The file that was refused.'),
    detail: z.string().nullable(),
  },
);
export type WatchedRow = z.infer<typeof WatchedDocument>;
