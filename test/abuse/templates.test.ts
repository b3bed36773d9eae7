/**
 * A prompt template of a project is untrusted text that the owner reads, where the keys are
 * (finding C1). Generated templates try to reach code; a canary shows whether one did.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import type { Random } from '../../src/base/random.ts';
import { seededRandom } from '../../src/base/random.ts';
import { renderPrompt } from '../../src/prompts/render-prompt.ts';
import { parseTemplate } from '../../src/prompts/template/parse-template.ts';

const TEMPLATES = 100_000;
const CANARY = 'canary-7f3a';

const NAMES = [
  'task role slot super loop targets context canary process globalThis env this self cycler joiner',
  'constructor __proto__ prototype toString valueOf hasOwnProperty length config name odd require import',
].flatMap((names) => names.split(' '));
const SIGNS =
  '( ) [ ] { } . , : | ~ + - * / // % = == != < > { { } } {{ }} {% %} {# #} -%} {%- \n'.split(' ');
const WORDS = [
  'if elif else endif for in endfor set endset block endblock extends include macro endmacro call filter',
  'endfilter import from raw endraw is not and or true none defined trim join default tojson first',
].flatMap((words) => words.split(' '));
/** Text that ends a string or a call if an engine writes names or strings into code. */
const BREAKOUTS = [
  String.raw`"odd\"),(globalThis.canary()),env.getTest(\"odd"`,
  String.raw`"a\" + globalThis.canary() + \""`,
  "'\\u0027 + canary() + \\u0027'",
  '`${canary()}`',
  '"\\u2028canary()"',
  '"constructor"',
  '["constructor"]["constructor"]("canary()")()',
  '.constructor.constructor("canary()")()',
  'canary()',
  'a;canary();//',
  '*/canary()/*',
  '"x.j2"',
  '1',
  '"a"',
];

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

function expression(random: Random, depth: number): string {
  const part = (): string => expression(random, depth + 1);
  if (depth > 3 || random() < 0.3) return pick(random, random() < 0.5 ? NAMES : BREAKOUTS);
  return pick(random, [
    () => `${part()}.${pick(random, NAMES)}`,
    () => `${part()}[${part()}]`,
    () => `${part()}(${part()})`,
    () => `${part()} is ${pick(random, random() < 0.5 ? BREAKOUTS : NAMES)}`,
    () => `${part()} | ${pick(random, random() < 0.5 ? WORDS : BREAKOUTS)}`,
    () => `${part()} ${pick(random, SIGNS)} ${part()}`,
    () => `${part()} if ${part()} else ${part()}`,
    () => `{${part()}: ${part()}}`,
    () => `slot(${part()}, ${part()})`,
  ])();
}

function template(random: Random): string {
  const piece = (): string =>
    pick(random, [
      () => `{{ ${expression(random, 0)} }}`,
      () => `{% set ${pick(random, [...NAMES, ...BREAKOUTS])} = ${expression(random, 0)} %}`,
      () =>
        `{% for ${pick(random, [...NAMES, ...BREAKOUTS])} in ${expression(random, 0)} %}${piece()}{% endfor %}`,
      () => `{% block ${pick(random, [...NAMES, ...BREAKOUTS])} %}${piece()}{% endblock %}`,
      () => `{% if ${expression(random, 0)} %}${piece()}{% endif %}`,
      () => `{% ${pick(random, WORDS)} ${expression(random, 0)} %}`,
      () => Array.from({ length: 8 }, () => pick(random, [...SIGNS, ...WORDS, ...NAMES])).join(' '),
    ])();
  return piece() + piece();
}

test(`none of ${TEMPLATES} generated templates runs code, and each is rendered or refused`, () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = seededRandom(seed);
  let reached = 0;
  Object.assign(globalThis, { canary: () => (reached += 1) });
  process.env['TEMPLATE_CANARY'] = CANARY;
  const ends = { rendered: 0, refused: 0 };
  for (let count = 0; count < TEMPLATES; count += 1) {
    const text = template(random);
    try {
      const parsed = parseTemplate({ name: 'a', file: 'a.j2', text });
      if (parsed.parts.length > 0) continue;
      const output = renderPrompt('a', new Map([['a', parsed]]), {
        role: { name: 'r', description: 'd', systemPrompt: 'S', answer: 'generic', config: {} },
        task: 'T',
        targets: ['a', 'b'],
        context: '',
      });
      assert.ok(!output.includes(CANARY), `seed ${seed}: ${text}`);
      ends.rendered += 1;
    } catch (error) {
      assert.ok(isRefusal(error), `seed ${seed}, template ${count}: ${text}\n${String(error)}`);
      ends.refused += 1;
    }
    assert.equal(reached, 0, `seed ${seed}: ${text}`);
  }
  delete process.env['TEMPLATE_CANARY'];
  // A generator whose templates are all refused would prove nothing about rendering.
  assert.ok(ends.rendered > TEMPLATES / 100, `seed ${seed}: ${JSON.stringify(ends)}`);
});
