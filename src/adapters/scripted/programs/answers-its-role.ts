/**
 * An agent that only answers in the form that its prompt asks for. `answers-its-role bad` first
 * shows a valid answer, as if it were in some file, and ends with an invalid one.
 */
import { readFileSync } from 'node:fs';

const emit = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);
const block = (answer: object): string =>
  ['```json', JSON.stringify(answer, null, 2), '```'].join('\n');

const ANSWERS: readonly (readonly [inSchema: string, answer: object])[] = [
  [
    '"estimated_components"',
    {
      status: 'COMPLETE',
      phases: [
        {
          id: 'PH1',
          title: 'The whole of it',
          components: [{ id: 'C1', title: 'One part', files: ['WORK.md'] }],
        },
      ],
      dependencies: [],
      estimated_components: 1,
    },
  ],
  [
    '"tests_written"',
    { status: 'SUCCESS', files_created: [], files_modified: [], tests_written: [] },
  ],
  ['"security_concerns"', { status: 'APPROVED', issues: [], suggestions: [] }],
];
const GENERIC = {
  status: 'SUCCESS',
  action_taken: 'looked at it',
  files_modified: [],
  review_status: null,
  blockers: null,
  next_step: null,
};

const prompt = readFileSync(0, 'utf8');
const [, answer] = ANSWERS.find(([inSchema]) => prompt.includes(inSchema)) ?? ['', GENERIC];
emit({ type: 'text', text: 'I look at what I was given.' });
if (process.argv[2] === 'bad') {
  emit({ type: 'text', text: block(answer) });
  emit({ type: 'tool', name: 'read' });
  emit({
    type: 'result',
    summary: `All is well.\n${block({ ...answer, status: 'GREAT', more: 1 })}`,
  });
} else emit({ type: 'result', summary: `This is my answer.\n${block(answer)}` });
