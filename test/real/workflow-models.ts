/**
 * The models of a workflow: one script for every role, found by the words of its prompt. The planner plans one file.
 * The developer first writes it wrong, then right, and does what a review or a person asks for. The test engineer adds
 * a test. Reviewers approve, except that Codex rejects code without a comment.
 */
import type { Json } from '../../src/base/json.ts';
import { countResults } from '../../src/testing/model-server/model-script.ts';
import type {
  ScriptedAnswer,
  ScriptFunction,
} from '../../src/testing/model-server/model-script.ts';
import type { WireName } from '../../src/testing/model-server/model-wire.ts';
import type { CliName } from './clis.ts';
import { shellCall } from './sandboxed-clis.ts';

export type Answer = Readonly<Record<string, Json>>;

/** What a role does: a line of shell, if any, and then its answer. */
type Turn = { readonly line?: string; readonly answer: Answer };

const WRONG = 'export const add = (a, b) => a - b;';
const RIGHT = 'export const add = (a, b) => a + b;';
const COMMENTED = `/** Adds two numbers. */\n${RIGHT}`;
/** What the person's comment asks for. */
export const RENAMED =
  '/** Adds two numbers. */\nexport const add = (left, right) => left + right;';
export const COMMENT = 'Call the numbers left and right.';

const INTEGRATION = `import { test } from 'node:test';
import assert from 'node:assert';
import { add } from '../sum.mjs';
test('adds large numbers', () => assert.equal(add(20, 22), 42));`;

const APPROVED: Answer = { status: 'APPROVED', issues: [], suggestions: [], security_concerns: [] };
const REJECTED: Answer = {
  ...APPROVED,
  status: 'CHANGES_REQUESTED',
  issues: [
    {
      ...{ severity: 'medium', file: 'sum.mjs', line: 1 },
      ...{ description: 'add has no comment', suggestion: 'say what it returns' },
    },
  ],
};

function writes(path: string, text: string): Turn {
  const answer = { files_created: [], files_modified: [path], tests_written: [], blockers: [] };
  return {
    line: `cat >${path} <<'END'\n${text}\nEND`,
    answer: { status: 'SUCCESS', ...answer },
  };
}

function plans(): Turn {
  const component = { id: 'sum', title: 'The sum', files: ['sum.mjs'], depends_on: [] };
  const phase = {
    ...{ id: 'all', title: 'All of it', description: 'One file' },
    ...{ components: [component], interfaces: [] },
  };
  const rest = { dependencies: [], estimated_components: 1, risks: [] };
  return { answer: { status: 'COMPLETE', phases: [phase], ...rest } };
}

function develops(prompt: string, isFix: boolean): Turn {
  const wish = prompt.includes(COMMENT)
    ? RENAMED
    : prompt.includes('add has no comment')
      ? COMMENTED
      : isFix
        ? RIGHT
        : WRONG;
  return writes('sum.mjs', wish);
}

/** Codex sees the change in its prompt, as every reviewer does. */
function reviews(role: string, prompt: string): Turn {
  const isStrict = role === 'reviewer_codex';
  return { answer: isStrict && !prompt.includes('Adds two numbers') ? REJECTED : APPROVED };
}

function turnOf(role: string, prompt: string, isFix: boolean): Turn {
  switch (role) {
    case 'planner':
    case 'tech_lead':
      return plans();
    case 'implementer':
    case 'implementer_fast':
      return develops(prompt, isFix);
    case 'test_engineer':
      return writes('test/integration.test.mjs', INTEGRATION);
    default:
      return reviews(role, prompt);
  }
}

export const CLI_OF: Readonly<Partial<Record<WireName, CliName>>> = {
  anthropic: 'claude',
  'openai-responses': 'codex',
  gemini: 'gemini',
};

/** In the form in which this CLI takes an answer: its own tool, only JSON, or a block. */
export function saying(wire: WireName, answer: Answer): ScriptedAnswer {
  if (wire === 'anthropic') return { calls: [{ name: 'StructuredOutput', args: answer }] };
  const text = JSON.stringify(answer);
  return { text: wire === 'gemini' ? `I have looked.\n\`\`\`json\n${text}\n\`\`\`` : text };
}

/** Every message of Supervisor has one of these; additions of a CLI do not. */
const OURS = /Your role is (?<role>\w+):|You reported that you are done, but/;

export const playWorkflow: ScriptFunction = ({ wire, units }) => {
  const ours = units.flatMap((unit, at) =>
    unit.kind === 'prompt' && OURS.test(unit.text) ? [{ at, text: unit.text }] : [],
  );
  const [first, last] = [ours[0], ours.at(-1)];
  const role = OURS.exec(first?.text ?? '')?.groups?.['role'];
  const cli = CLI_OF[wire];
  if (role === undefined || last === undefined || cli === undefined) return undefined;
  const isFix = last.text.includes('You reported that you are done');
  const { line, answer } = turnOf(role, last.text, isFix);
  const isBegun = countResults(units.slice(last.at)) > 0;
  return line === undefined || isBegun ? saying(wire, answer) : { calls: [shellCall(cli, line)] };
};
