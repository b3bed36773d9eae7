/**
 * Not enforced: that roles alternate (the API joins neighbours), and thought signatures, which only
 * some models require.
 */
import { isRecord } from '../../../base/json.ts';
import { firstDuplicate, findFirst, list, records, text } from '../request-shape.ts';
import type { Complaint, WireRule } from '../model-wire.ts';
import {
  CALL_KEYS,
  camel,
  CONFIG_KEYS,
  CONTENT_KEYS,
  COUNT_KEYS,
  PART_DATA,
  PART_KEYS,
  RESPONSE_KEYS,
  TOP_KEYS,
} from './gemini-keys.ts';

function unknownName(
  value: unknown,
  known: ReadonlySet<string>,
  path?: string,
): Complaint | undefined {
  const key = isRecord(value) && Object.keys(value).find((name) => !known.has(camel(name)));
  if (typeof key !== 'string') return undefined;
  const where = path === undefined ? '' : ` at '${path}'`;
  return {
    message: `Invalid JSON payload received. Unknown name "${key}"${where}: Cannot find field.`,
    ...(path !== undefined && { param: path }),
  };
}

const knownKeys: WireRule = ({ body }) =>
  unknownName(body, TOP_KEYS) ??
  unknownName(body['generationConfig'], CONFIG_KEYS, 'generation_config') ??
  findFirst(list(body['contents']), (content, index) =>
    unknownName(content, CONTENT_KEYS, `contents[${index}]`),
  );

const knownCountKeys: WireRule = ({ body }) => unknownName(body, COUNT_KEYS);

const knownPartKeys: WireRule = ({ body }) =>
  findFirst(records(body['contents']), (content, index) =>
    findFirst(records(content['parts']), (part, at) => {
      const path = `contents[${index}].parts[${at}]`;
      return (
        unknownName(part, PART_KEYS, path) ??
        unknownName(part['functionCall'], CALL_KEYS, `${path}.function_call`) ??
        unknownName(part['functionResponse'], RESPONSE_KEYS, `${path}.function_response`)
      );
    }),
  );

const someContents: WireRule = ({ body }) =>
  list(body['contents']).length === 0
    ? { message: '* GenerateContentRequest.contents: contents is not specified\n' }
    : undefined;

const validRoles: WireRule = ({ body }) =>
  findFirst(records(body['contents']), ({ role }) =>
    // `function` is the older name of a user turn that carries results.
    role === undefined || ['user', 'model', 'function'].includes(text(role))
      ? undefined
      : { message: 'Please use a valid role: user, model.' },
  );

const someParts: WireRule = ({ body }) =>
  findFirst(records(body['contents']), (content, index) =>
    list(content['parts']).length === 0
      ? {
          message: `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`,
        }
      : undefined,
  );

const partHasData: WireRule = ({ body }) =>
  findFirst(records(body['contents']), (content, index) =>
    findFirst(records(content['parts']), (part, at) =>
      // An empty text is data for the parser; a part with only a signature is accepted as well.
      PART_DATA.some((key) => part[key] !== undefined) || part['thoughtSignature'] !== undefined
        ? undefined
        : {
            message: `* GenerateContentRequest.contents[${index}].parts[${at}].data: required oneof field 'data' must have one initialized field\n`,
          },
    ),
  );

type Turn = { readonly role: string; readonly calls: Named[]; readonly responses: Named[] };
type Named = { readonly id: string; readonly name: string };

function readTurns(body: Readonly<Record<string, unknown>>): readonly Turn[] {
  return records(body['contents']).map((content) => {
    const pick = (key: string): Named[] =>
      records(content['parts'])
        .map((part) => part[key])
        .filter(isRecord)
        .map((value) => ({ id: text(value['id']), name: text(value['name']) }));
    const role = content['role'] === 'model' ? 'model' : 'user';
    return { role, calls: pick('functionCall'), responses: pick('functionResponse') };
  });
}

const functionsAreNamed: WireRule = ({ body }) =>
  findFirst(readTurns(body), ({ calls, responses }, index) =>
    findFirst(
      [
        ['function_call', calls],
        ['function_response', responses],
      ] as const,
      ([part, named]) =>
        named.some(({ name }) => name === '')
          ? {
              message: `* GenerateContentRequest.contents[${index}].parts[0].${part}.name: Name cannot be empty.\n`,
            }
          : undefined,
    ),
  );

const callsAfterUser: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, (turn, index) =>
    turn.calls.length > 0 && (turn.role !== 'model' || turns[index - 1]?.role !== 'user')
      ? {
          message:
            'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        }
      : undefined,
  );
};

const responsesAfterCalls: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, (turn, index) =>
    turn.responses.length > 0 && (turns[index - 1]?.calls.length ?? 0) === 0
      ? {
          message:
            'Please ensure that function response turn comes immediately after a function call turn.',
        }
      : undefined,
  );
};

const asManyResponsesAsCalls: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, (turn, index) =>
    turn.calls.length > 0 && turn.calls.length !== (turns[index + 1]?.responses.length ?? 0)
      ? {
          message:
            'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        }
      : undefined,
  );
};

/** If both sides carry ids they must match; the message for that is our own. */
const responsesMatchCalls: WireRule = ({ body }) => {
  const turns = readTurns(body);
  return findFirst(turns, ({ responses }, index) => {
    const calls = turns[index - 1]?.calls ?? [];
    const key =
      calls.every(({ id }) => id !== '') && responses.every(({ id }) => id !== '') ? 'id' : 'name';
    const open = calls.map((call) => call[key]);
    const stray = responses.find((response) => {
      const at = open.indexOf(response[key]);
      if (at !== -1) open.splice(at, 1);
      return at === -1;
    });
    return stray === undefined
      ? undefined
      : { message: `Function response "${stray[key]}" does not match an open function call.` };
  });
};

const toolNamesUnique: WireRule = ({ body }) => {
  const name = firstDuplicate(
    records(body['tools'])
      .flatMap((tool) => records(tool['functionDeclarations'] ?? tool['function_declarations']))
      .map((declared) => text(declared['name'])),
  );
  return name === undefined
    ? undefined
    : { message: `Duplicate function declaration found: ${name}` };
};

export const geminiRules = {
  'known-keys': knownKeys,
  'known-part-keys': knownPartKeys,
  'some-contents': someContents,
  'valid-roles': validRoles,
  'some-parts': someParts,
  'part-has-data': partHasData,
  'functions-are-named': functionsAreNamed,
  'tool-names-unique': toolNamesUnique,
  'calls-after-user': callsAfterUser,
  'responses-after-calls': responsesAfterCalls,
  'as-many-responses-as-calls': asManyResponsesAsCalls,
  'responses-match-calls': responsesMatchCalls,
} as const satisfies Record<string, WireRule>;

/** The rules of `:countTokens`. */
export const geminiCountRules: Readonly<Record<string, WireRule>> = {
  'known-keys': knownCountKeys,
  'known-part-keys': knownPartKeys,
};
