/**
 * An agent for every role of a workflow. It decides by the files that it finds. The planner plans one file. The
 * implementer first writes it wrong, then right, and documents it when it is asked to. A security auditor rejects code
 * that is not documented; every other reviewer approves.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = 'sum.mjs';
const WRONG = 'export const add = (a, b) => a - b;\n';
const RIGHT = 'export const add = (a, b) => a + b;\n';
const DOCUMENTED = `/** The sum of two numbers. */\n${RIGHT}`;

const emit = (event: object): boolean => process.stdout.write(`${JSON.stringify(event)}\n`);
const prompt = readFileSync(0, 'utf8');
const found = existsSync(FILE) ? readFileSync(FILE, 'utf8') : null;

const answer = { plan, review, implement }[lastSchema()]();
const block = ['```json', JSON.stringify(answer, null, 2), '```'].join('\n');
emit({ type: 'result', summary: `This is my answer.\n${block}` });

/** The schema of the answer ends the prompt. Answers of earlier steps may stand before it. */
function lastSchema(): 'plan' | 'review' | 'implement' {
  const plans = prompt.lastIndexOf('"estimated_components"');
  const reviews = prompt.lastIndexOf('"security_concerns"');
  const implementations = prompt.lastIndexOf('"tests_written"');
  if (implementations >= Math.max(plans, reviews)) return 'implement';
  return reviews > plans ? 'review' : 'plan';
}

function say(text: string): void {
  emit({ type: 'text', text });
}

function plan(): object {
  say(`I plan ${FILE}.`);
  const components = [{ id: 'sum', title: 'The sum', files: [FILE] }];
  const phases = [{ id: 'all', title: 'All of it', components }];
  return { status: 'COMPLETE', phases, dependencies: [], estimated_components: 1 };
}

function implement(): object {
  const isAsked = prompt.includes('not documented');
  // What the gate printed reaches an agent only by its prompt.
  const [report] = /-?\d+ !== -?\d+/.exec(prompt) ?? [];
  const reads = report === undefined ? '' : `The gate says ${report}. `;
  say(`${reads}${found === null ? `I write ${FILE}.` : `I change ${FILE}.`}`);
  writeFileSync(FILE, found === null ? WRONG : isAsked ? DOCUMENTED : RIGHT);
  return { status: 'SUCCESS', files_created: [FILE], files_modified: [], tests_written: [] };
}

function review(): object {
  say(`I review ${FILE}.`);
  const isStrict = prompt.includes('Your role is security_auditor');
  const issue = { severity: 'high', file: FILE, line: 1, description: 'add is not documented' };
  const isGood = !isStrict || found?.startsWith('/**') === true;
  return isGood
    ? { status: 'APPROVED', issues: [], suggestions: [] }
    : { status: 'CHANGES_REQUESTED', issues: [issue], suggestions: [] };
}
