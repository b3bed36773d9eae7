import { z } from 'zod';
import { documentSchema, field, runId } from './document.ts';

export const CapsuleDocument = documentSchema('capsule', 'The file about one run.', {
  file: z.string(),
  run_id: runId,
  root: field(z.string(), 'The hash of everything in the file.'),
  facts: field(z.int(), 'How many facts of the journal it has.'),
  problems: field(z.array(z.string()), 'What does not have its hash. Empty: nothing was changed.'),
});

export function capsuleDocument({
  file,
  run,
  root,
  facts,
  problems,
}: {
  readonly file: string;
  readonly run: string;
  readonly root: string;
  readonly facts: number;
  readonly problems: readonly string[];
}): z.infer<typeof CapsuleDocument> {
  return {
    schema: 'supervisor.capsule/1',
    file,
    run_id: run,
    root,
    facts,
    problems: [...problems],
  };
}
