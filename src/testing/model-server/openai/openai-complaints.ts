import { findFirst, typeWord } from '../request-shape.ts';
import type { Complaint } from '../model-wire.ts';

/** How both OpenAI wires report a wrong field. */

export function unknownParameter(path: string): Complaint {
  return { message: `Unknown parameter: '${path}'.`, param: path, code: 'unknown_parameter' };
}

export function missingParameter(path: string): Complaint {
  return {
    message: `Missing required parameter: '${path}'.`,
    param: path,
    code: 'missing_required_parameter',
  };
}

export function invalidType(path: string, expected: string, value: unknown): Complaint {
  return {
    message: `Invalid type for '${path}': expected ${expected}, but got ${typeWord(value)} instead.`,
    param: path,
    code: 'invalid_type',
  };
}

export function emptyArray(path: string): Complaint {
  return {
    message: `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param: path,
    code: 'empty_array',
  };
}

export function invalidValue(
  path: string,
  value: unknown,
  supported: readonly string[],
): Complaint {
  const names = supported.map((name) => `'${name}'`);
  return {
    message: `Invalid value: '${typeof value === 'string' ? value : JSON.stringify(value)}'. Supported values are: ${names.slice(0, -1).join(', ')}, and ${names.at(-1) ?? ''}.`,
    param: path,
    code: 'invalid_value',
  };
}

export function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

/** Checks the present fields; null stands for a field left out. */
export function firstWrongType(
  body: Readonly<Record<string, unknown>>,
  types: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, expected: string]>>,
): Complaint | undefined {
  return findFirst(Object.entries(types), ([field, [fits, expected]]) => {
    const value = body[field];
    return value === undefined || value === null || fits(value)
      ? undefined
      : invalidType(field, expected, value);
  });
}
