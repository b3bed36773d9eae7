/** Text from a file for a label of a Mermaid diagram, which people read in a terminal too. */
import { printable } from './printable.ts';

export function mermaidText(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '))
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
