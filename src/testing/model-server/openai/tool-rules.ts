import { firstDuplicate, findFirst, records, text } from '../request-shape.ts';
import type { WireRule } from '../model-wire.ts';

/** A tool's name and its place in the tool. */
export type Named = { readonly path: string; readonly name: unknown };
/** Undefined for a tool that the provider itself runs: it has no name. */
type NameOf = (tool: Readonly<Record<string, unknown>>) => Named | undefined;

export function toolShape(nameOf: NameOf): WireRule {
  return ({ body }) =>
    findFirst(records(body['tools']), (tool, index) => {
      const named = nameOf(tool);
      if (named === undefined || /^[a-zA-Z0-9_-]{1,64}$/.test(text(named.name))) return undefined;
      const param = `tools[${index}].${named.path}`;
      return {
        message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        param,
        code: 'invalid_value',
      };
    });
}

/** The message is our own; that two tools of one name are refused is known. */
export function toolNamesUnique(nameOf: NameOf): WireRule {
  return ({ body }) => {
    const names = records(body['tools']).map((tool) => text(nameOf(tool)?.name));
    const name = firstDuplicate(names.filter((name) => name !== ''));
    return name === undefined
      ? undefined
      : { message: `Invalid 'tools': duplicate tool name '${name}'.`, param: 'tools' };
  };
}
