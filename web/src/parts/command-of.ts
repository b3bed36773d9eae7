/** The command that shows the same as an address of the page. */
import { shellWord } from '../../../src/base/shell-words.ts';

const SCREENS: Readonly<Record<string, string>> = {
  '/plans': 'supervisor feature list',
  '/tree': 'supervisor tree --all',
  '/quota': 'supervisor metrics',
  '/agents': 'supervisor agents',
};

export function commandOf(path: string, search = '', hash = ''): string {
  const query = new URLSearchParams(search).get('q')?.trim() ?? '';
  if (path === '/') {
    const words = query === '' ? [] : query.split(/\s+/).map(shellWord);
    return ['supervisor status', ...words].join(' ');
  }
  const [, plan] = /^\/plans\/([^/]+)$/.exec(path) ?? [];
  if (plan !== undefined) return `supervisor feature show ${plan}`;
  const [, run, part] = /^\/runs\/([^/]+)(\/review)?$/.exec(path) ?? [];
  if (run === undefined) return SCREENS[path] ?? 'supervisor status';
  if (part !== undefined) return `supervisor diff ${run}`;
  const [, attempt] = /^#attempt-(\d+)$/.exec(hash) ?? [];
  return attempt === undefined
    ? `supervisor status ${run}`
    : `supervisor logs ${run} --attempt ${attempt}`;
}
