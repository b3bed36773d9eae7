/**
 * Reads the result from the final answer of an agent. Only JSON that matches the schema counts. Words
 * such as "APPROVED" in prose prove nothing, because any file can contain them.
 */
import { withKnownStatus } from './status-aliases.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { ANSWERS, answerJsonSchema } from '../protocol/answer.ts';
import type { Answer, AnswerKind } from '../protocol/answer.ts';

export type ReadAnswer<Kind extends AnswerKind = AnswerKind> =
  | { readonly kind: 'answer'; readonly answer: Answer<Kind> }
  /** `feedback` can be sent to the agent unchanged. */
  | {
      readonly kind: 'unusable';
      /** The answer is JSON, but does not match the schema. */
      readonly isJson: boolean;
      readonly problems: readonly Problem[];
      readonly feedback: string;
    };

/** `path` is empty for the answer as a whole, else such as `phases[2].title`. */
type Problem = { readonly path: string; readonly message: string };

const ANSWER_CHARS_MAX = 1_000_000;
/** The limit of the result alone, because it is stored with the run. */
const RESULT_CHARS_MAX = 200_000;
const PROBLEMS_MAX = 20;

/**
 * `final` is the text of the agent's final answer, without earlier turns and tool output. So a block
 * that was planted in a file is never the last one. An answer that is JSON as a whole comes from a
 * CLI that enforces the schema.
 */
export function readAnswer<Kind extends AnswerKind>(final: string, as: Kind): ReadAnswer<Kind> {
  if (final.length > ANSWER_CHARS_MAX)
    return unusable(as, [whole(`it has more than ${ANSWER_CHARS_MAX} characters`)]);
  const bare = parseJson(final);
  if (isRecord(bare)) return fit(withoutOptionalNulls(bare, answerJsonSchema(as)), as);
  const block = lastBlock(final);
  if (block === undefined) return unusable(as, [whole('it has no block that begins with ```json')]);
  if (block.kind === 'open') return unusable(as, [whole('its last block is not closed')]);
  if (block.info !== 'json')
    return unusable(as, [whole('its last block does not begin with ```json')]);
  const value = parseJson(block.text);
  if (value === undefined) return unusable(as, [whole('its last block is not JSON')]);
  return fit(value, as);
}

function fit<Kind extends AnswerKind>(value: unknown, as: Kind): ReadAnswer<Kind> {
  if (JSON.stringify(value).length > RESULT_CHARS_MAX)
    return unusable(as, [whole(`its result has more than ${RESULT_CHARS_MAX} characters`)], {
      isJson: true,
    });
  const result = ANSWERS[as].safeParse(withKnownStatus(value, as));
  if (result.success) return { kind: 'answer', answer: result.data as Answer<Kind> };
  const problems = result.error.issues.map(({ code, path, message, ...issue }) => {
    const keys = code === 'unrecognized_keys' && 'keys' in issue ? issue.keys : undefined;
    return keys === undefined
      ? { path: pathText(path), message: `expected ${message}` }
      : {
          path: pathText(path),
          message: `unknown key ${keys.map((key) => JSON.stringify(key)).join(', ')}`,
        };
  });
  return unusable(as, problems, { isJson: true });
}

type Block =
  | { readonly kind: 'closed'; readonly info: string; readonly text: string }
  | { readonly kind: 'open' };

/** As Markdown has it: a block ends at a line of at least as many of the same marks, and only there. */
function lastBlock(text: string): Block | undefined {
  let last: Block | undefined;
  let open: { readonly marks: string; readonly info: string; readonly lines: string[] } | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, marks = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (marks !== '' && !(marks.startsWith('`') && rest.includes('`')))
        open = { marks, info: rest.trim().toLowerCase(), lines: [] };
    } else if (marks.startsWith(open.marks) && rest.trim() === '') {
      last = { kind: 'closed', info: open.info, text: open.lines.join('\n') };
      open = undefined;
    } else open.lines.push(line);
  }
  return open === undefined ? last : { kind: 'open' };
}

function whole(message: string): Problem {
  return { path: '', message };
}

function unusable(
  as: AnswerKind,
  problems: readonly Problem[],
  { isJson = false }: { readonly isJson?: boolean } = {},
): ReadAnswer<never> {
  const lines = problems
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => `- ${path === '' ? 'the answer' : path}: ${message}`);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`- and ${more} more`);
  const feedback = [
    `Your answer could not be used as a result of the kind "${as}":`,
    ...lines,
    'Answer again. End with one block that begins with ```json and holds JSON that fits the schema, and nothing after it.',
  ].join('\n');
  return { kind: 'unusable', isJson, problems, feedback };
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * A CLI that enforces a schema may not support optional keys: the model then answers null for them. Such a null is
 * removed. A null that the schema allows stays.
 */
function withoutOptionalNulls(value: unknown, schema: Schema): unknown {
  const { properties, items } = schema;
  if (Array.isArray(value))
    return isRecord(items) ? value.map((item) => withoutOptionalNulls(item, items)) : value;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const of = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (!isRecord(of)) return [[key, part]];
      if (part === null && !required.includes(key)) return [];
      return [[key, withoutOptionalNulls(part, of)]];
    }),
  );
}
