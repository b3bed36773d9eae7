/**
 * A feature of six components in a TypeScript project, and the models that build it. Each does its work alone without a
 * fault. Together, `add` and `format` change the same line, and `unit` renames what `compare` imports. Who comes second
 * reads why, and does it on top of the other one's work.
 */
import { countResults } from '../../src/testing/model-server/model-script.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { shellCall } from './sandboxed-clis.ts';
import type { Answer } from './workflow-models.ts';
import { CLI_OF, saying } from './workflow-models.ts';

export const TYPES = 'export type Money = { readonly cents: number };\n';

const TEST = (name: string, check: string): string => `import { test } from 'node:test';
import assert from 'node:assert';
import * as own from '../src/${name}.ts';
test('${name}', () => assert.ok(${check}));`;

type Files = Readonly<Record<string, string>>;

/** `isAgain`: the work of the other ones is in the project. */
type Part = (isAgain: boolean) => Files;

const LINES = {
  add: "export { add } from './add.ts';",
  format: "export { format } from './format.ts';",
};

const index = (own: keyof typeof LINES, isAgain: boolean): string =>
  isAgain ? Object.values(LINES).join('\n') : LINES[own];

const MONEY = "import type { Money } from '../types/money.d.ts';";

export const PARTS: Readonly<Record<string, Part>> = {
  add: (isAgain) => ({
    'src/add.ts': `${MONEY}
export const add = (a: Money, b: Money): Money => ({ cents: a.cents + b.cents });`,
    'test/add.test.ts': TEST('add', 'own.add({ cents: 1 }, { cents: 2 }).cents === 3'),
    'src/index.ts': index('add', isAgain),
  }),
  format: (isAgain) => ({
    'src/format.ts': `${MONEY}
export const format = ({ cents }: Money): string => (cents / 100).toFixed(2);`,
    'test/format.test.ts': TEST('format', "own.format({ cents: 250 }) === '2.50'"),
    'src/index.ts': index('format', isAgain),
  }),
  // The second time it keeps the old name too.
  unit: (isAgain) => ({
    'src/unit.ts': `export const currency = 'EUR';${isAgain ? '\nexport const unit = currency;' : ''}`,
    'test/unit.test.ts': TEST('unit', "own.currency === 'EUR'"),
  }),
  compare: (isAgain) => ({
    'src/compare.ts': `${MONEY}
import { ${isAgain ? 'currency' : 'unit'} as unit } from './unit.ts';
export const compare = (a: Money, b: Money): string => \`\${a.cents - b.cents} \${unit}\`;`,
    'test/compare.test.ts': TEST('compare', "own.compare({ cents: 3 }, { cents: 1 }) === '2 EUR'"),
  }),
  bill: () => ({
    'src/bill.ts': `import { add, format } from './index.ts';
export const bill = (): string => format(add({ cents: 100 }, { cents: 150 }));`,
    'test/bill.test.ts': TEST('bill', "own.bill() === '2.50'"),
  }),
  order: () => ({
    'src/order.ts': `import { compare } from './compare.ts';
export const order = (): string => compare({ cents: 5 }, { cents: 2 });`,
    'test/order.test.ts': TEST('order', "own.order() === '3 EUR'"),
  }),
};

/** A locked interface cannot be written to, and the attempt to do so harms nothing. */
const TRIES_TO_UNLOCK = 'echo broken >>types/money.d.ts || true';

const OURS = /BUILD (?<name>\w+)|You reported that you are done, but/;

function writing(files: Files): string {
  const all = Object.entries(files).map(([path, text]) => `cat >${path} <<'END'\n${text}\nEND`);
  return [TRIES_TO_UNLOCK, 'mkdir -p src test', ...all].join('\n');
}

export const playFeature: ScriptFunction = ({ wire, units }) => {
  const ours = units.findIndex((unit) => unit.kind === 'prompt' && OURS.test(unit.text));
  const unit = units[ours];
  const text = unit?.kind === 'prompt' ? unit.text : '';
  const part = PARTS[OURS.exec(text)?.groups?.['name'] ?? ''];
  const cli = CLI_OF[wire];
  if (part === undefined || cli === undefined) return undefined;
  const files = part(text.includes('You did this before'));
  const names = Object.keys(files);
  const answer: Answer = {
    ...{ status: 'SUCCESS', files_created: names, files_modified: [] },
    ...{ tests_written: names.filter((name) => name.startsWith('test/')), blockers: [] },
  };
  return countResults(units.slice(ours)) > 0
    ? saying(wire, answer)
    : { calls: [shellCall(cli, writing(files))] };
};
