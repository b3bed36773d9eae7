/** What the operators of an expression do. Each takes the kinds of values that it is meant for, and no other. */
import type { BinaryOperator } from './syntax.ts';
import type { Value } from './values.ts';
import { contains, valueKind, printValue, toText } from './values.ts';

/** Without "and" and "or", which do not always look at their right side. */
export function applyOperator(
  operator: Exclude<BinaryOperator, 'and' | 'or'>,
  left: Value,
  right: Value,
): Value {
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case 'in':
      return contains(right, left);
    case '~':
      return printValue(left) + printValue(right);
    case '+':
      return typeof left === 'string' ? left + toText(right) : toNumber(left) + toNumber(right);
    case '-':
      return toNumber(left) - toNumber(right);
    case '*':
      return toNumber(left) * toNumber(right);
    case '/':
      return toNumber(left) / toNumber(right);
    case '//':
      return Math.floor(toNumber(left) / toNumber(right));
    case '%':
      return toNumber(left) % toNumber(right);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return compare(operator, left, right);
  }
}

/** Throws a TypeError in plain words for anything but a number. */
export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`a number is expected, not ${valueKind(value)}`);
}

function compare(operator: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  const comparison = compareValues(left, right);
  if (comparison === undefined)
    throw new TypeError(`"${operator}" cannot compare ${valueKind(left)} with ${valueKind(right)}`);
  if (comparison === 0) return operator.endsWith('=');
  return operator.startsWith('<') ? comparison < 0 : comparison > 0;
}

function compareValues(left: Value, right: Value): number | undefined {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  return left === right ? 0 : left < right ? -1 : 1;
}
