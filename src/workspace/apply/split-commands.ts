/**
 * Splits a line for a shell into pipelines, and each of them into commands. Only simple lines are split: words, quotes,
 * variables, `&&`, `||`, `;` and `|`. A line with anything else, such as a subshell, is left to the caller.
 */

/** Output that goes nowhere, or to the other stream. */
const TO_NOWHERE = /(?:^|(?<=\s))(?:\d?>&\d|(?:\d|&)?>>?\s*\/dev\/null)(?=\s|$|;)/g;
const SEPARATOR = /^(?:&&|\|\||[;|\n])/;
const SPECIAL = /[$`(){}<>&#*?~\\]/;
/** The value of a variable is only text for the program that gets it. */
const VARIABLE = /^\$(?:\w+|\{\w+\}|[@*#?!-])/;

const VARIABLE_CHARS_MAX = 64;

/** Whether a text in double quotes is more than characters and variables: `"$(./x.sh)"` starts a program. */
function isActive(quoted: string): boolean {
  return /[`\\]|\$(?!\w|\{\w+\}|[@*#?!-]|$|\s)/.test(quoted);
}

type Words = readonly string[];

/** Undefined: the line is not simple. */
export function splitCommands(text: string): readonly (readonly Words[])[] | undefined {
  const line = text.replaceAll(TO_NOWHERE, '');
  const pipelines: string[][][] = [[[]]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) pipelines.at(-1)?.at(-1)?.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === "'" || character === '"') {
      const end = line.indexOf(character, at + 1);
      const quoted = line.slice(at + 1, end);
      if (end < 0 || (character === '"' && isActive(quoted))) return undefined;
      word = (word ?? '') + quoted;
      at = end;
      continue;
    }
    const [variable] = VARIABLE.exec(line.slice(at, at + VARIABLE_CHARS_MAX)) ?? [];
    if (variable !== undefined) {
      word = (word ?? '') + variable;
      at += variable.length - 1;
      continue;
    }
    const [separator] = SEPARATOR.exec(line.slice(at, at + 2)) ?? [];
    if (separator !== undefined) {
      endWord();
      if (separator === '|') pipelines.at(-1)?.push([]);
      else pipelines.push([[]]);
      at += separator.length - 1;
    } else if (/\s/.test(character)) endWord();
    else if (SPECIAL.test(character)) return undefined;
    else word = (word ?? '') + character;
  }
  endWord();
  return pipelines
    .map((commands) => commands.filter((words) => words.length > 0))
    .filter((commands) => commands.length > 0);
}
