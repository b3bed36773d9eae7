/** The output of `--json`: one document per line, and nothing else on standard output. */
import type { DocumentName, JsonDocument } from '../../public-json/documents.ts';
import type { EventDocument } from '../../public-json/public-event.ts';
import type { CliContext } from '../cli-context.ts';

type AnyDocument = { [Name in DocumentName]: JsonDocument<Name> }[DocumentName] | EventDocument;

export function printJson(context: Pick<CliContext, 'out'>, document: AnyDocument): void {
  context.out(jsonLine(document), 'verbatim');
}

export function jsonLine(document: AnyDocument): string {
  return `${JSON.stringify(document)}\n`;
}

/** Whether the command line asks for JSON. It has to be known before the command line is parsed: errors are JSON too. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.some((word) => word === '--json' || word.startsWith('--json='));
}
