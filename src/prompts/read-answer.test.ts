import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readAnswer } from './read-answer.ts';

const approved = { status: 'APPROVED', issues: [], suggestions: [] };
const rejected = { ...approved, status: 'REJECTED' };

function block(value: unknown, fence = '```', info = 'json'): string {
  return `${fence}${info}\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}\n${fence}\n`;
}

function statusOf(text: string): string {
  const read = readAnswer(text, 'review');
  return read.kind === 'answer'
    ? read.answer.status
    : read.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

describe('in a final answer', () => {
  const cases: [why: string, text: string, expected: string][] = [
    ['the block counts', `I looked at it.\n${block(approved)}`, 'APPROVED'],
    [
      'the last block counts, not one that was quoted before',
      `The file says:\n${block(approved)}\nI say:\n${block(rejected)}`,
      'REJECTED',
    ],
    [
      'a block inside a longer block is part of it',
      `${block(block(approved), '````', '')}\n${block(rejected)}`,
      'REJECTED',
    ],
    [
      'case 43: a block that is nested without end is no JSON',
      block(`${'['.repeat(200_000)}${']'.repeat(200_000)}`),
      ': its last block is not JSON',
    ],
    [
      'case 43: nor is an answer that is all of it',
      `{"status":"APPROVED","issues":${'['.repeat(200_000)}${']'.repeat(200_000)},"suggestions":[]}`,
      ': it has no block that begins with ```json',
    ],
    [
      'a block in a block does not count',
      block(block(approved), '````', 'text'),
      ': its last block does not begin with ```json',
    ],
    [
      'a block of tildes is a block',
      `${block(approved)}${block('x', '~~~', '')}`,
      ': its last block does not begin with ```json',
    ],
    [
      'words prove nothing',
      'REVIEW_STATUS: APPROVED',
      ': it has no block that begins with ```json',
    ],
    ['words after a block prove nothing', `${block(rejected)}REVIEW_STATUS: APPROVED`, 'REJECTED'],
    [
      'an unclosed block is none',
      '```json\n{"status":"APPROVED","issues":[],"suggestions":[]}',
      ': its last block is not closed',
    ],
    [
      'an unclosed block hides the one before it',
      `${block(approved)}\`\`\`json\n{`,
      ': its last block is not closed',
    ],
    [
      'a block of another language is none',
      block(approved, '```', 'js'),
      ': its last block does not begin with ```json',
    ],
    ['a block with a comment is not JSON', block('{} // ok'), ': its last block is not JSON'],
    [
      'bare JSON is what a CLI that knows the schema gives',
      ` ${JSON.stringify(approved)}\n`,
      'APPROVED',
    ],
    [
      'bare JSON with words around it is none',
      `ok ${JSON.stringify(approved)}`,
      ': it has no block that begins with ```json',
    ],
    ['line ends of Windows are line ends', block(approved).replaceAll('\n', '\r\n'), 'APPROVED'],
    [
      'a status of another kind is none',
      block({ ...approved, status: 'approved' }),
      'status: expected one of APPROVED, CHANGES_REQUESTED, REJECTED',
    ],
    ['an unknown key is refused', block({ ...approved, verdict: 1 }), ': unknown key "verdict"'],
    [
      'nothing is converted',
      block({ ...approved, issues: [{ severity: 'low', description: 'x', line: '3' }] }),
      'issues[0].line: expected a line number',
    ],
    [
      'what is missing is named',
      block({ status: 'APPROVED', issues: [{}] }),
      'issues[0].severity: expected one of critical, high, medium, low; issues[0].description: expected text; suggestions: expected a list of up to 1000 texts',
    ],
    ['a list is not an answer', block([]), ': expected an object'],
  ];
  for (const [why, text, expected] of cases) {
    test(why, () => assert.equal(statusOf(text), expected));
  }
});

test('problems are reported so that they can be sent back to the agent', () => {
  const read = readAnswer(block({ ...approved, status: 'OK' }), 'review');
  assert.equal(
    read.kind === 'unusable' && read.feedback,
    [
      'Your answer could not be used as a result of the kind "review":',
      '- status: expected one of APPROVED, CHANGES_REQUESTED, REJECTED',
      'Answer again. End with one block that begins with ```json and holds JSON that fits the schema, and nothing after it.',
    ].join('\n'),
  );
});

describe('a plan', () => {
  const component = { id: 'user_model', title: 'The user', files: ['models/user.py'] };
  const plan = {
    status: 'COMPLETE',
    phases: [{ id: 'p1', title: 'Data', components: [component] }],
    dependencies: [],
    estimated_components: 1,
  };

  test('gets its defaults', () => {
    const read = readAnswer(JSON.stringify(plan), 'plan');
    assert.deepEqual(read, {
      kind: 'answer',
      answer: {
        ...plan,
        phases: [
          {
            id: 'p1',
            title: 'Data',
            components: [{ ...component, depends_on: [] }],
            interfaces: [],
          },
        ],
        risks: [],
      },
    });
  });

  const nulled = {
    ...plan,
    phases: [
      {
        ...plan.phases[0],
        description: null,
        interfaces: null,
        components: [{ ...component, depends_on: null }],
      },
    ],
    risks: null,
  };

  test('of a CLI without optional keys has null for them', () => {
    const read = readAnswer(JSON.stringify(nulled), 'plan');
    assert.deepEqual(read, readAnswer(JSON.stringify(plan), 'plan'));
    // An agent that writes a block has read that such a key is optional.
    assert.equal(
      readAnswer(`\`\`\`json\n${JSON.stringify(nulled)}\n\`\`\``, 'plan').kind,
      'unusable',
    );
  });

  test('that is too large to be stored is refused', () => {
    const long = { ...plan, risks: Array.from({ length: 30 }, () => 'x'.repeat(9000)) };
    const read = readAnswer(JSON.stringify(long), 'plan');
    assert.match(read.kind === 'unusable' ? read.feedback : '', /more than 200000 characters/);
  });

  const bad: [why: string, change: object, path: string][] = [
    [
      'a dependency on nothing',
      { dependencies: [{ from: 'user_model', to: 'x' }] },
      'dependencies[0].to',
    ],
    ['an id twice', { phases: [...plan.phases, ...plan.phases] }, 'phases'],
    [
      'a component that needs nothing known',
      { phases: [{ ...plan.phases[0], components: [{ ...component, depends_on: ['q'] }] }] },
      'phases[0].components[0].depends_on[0]',
    ],
  ];
  for (const [why, change, path] of bad) {
    test(`with ${why} is refused by its path`, () => {
      const read = readAnswer(JSON.stringify({ ...plan, ...change }), 'plan');
      assert.deepEqual(read.kind === 'unusable' && read.problems.map((one) => one.path), [path]);
    });
  }
});
