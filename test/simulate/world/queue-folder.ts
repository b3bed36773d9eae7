/** The folders of work queues in the simulated world: files in memory that outlive every owner. */
import type { QueueFiles } from '../../../src/execution/agent-commands/perform-queue.ts';
import type { ClockOwner } from './world-clock.ts';

export class QueueFolders {
  /** The whole path of each file, and its content. */
  readonly files = new Map<string, string>();

  readonly laid: string[] = [];

  /** Adding a file overwrites nothing. */
  lay(path: string, text: string): void {
    if (this.files.has(path)) return;
    this.files.set(path, text);
    this.laid.push(path);
  }

  /** The view of one owner: a dead owner moves no file. */
  of(life: ClockOwner): QueueFiles {
    const alive = async <Value>(work: () => Value): Promise<Value> => {
      if (!life.alive) return new Promise(() => undefined);
      return work();
    };
    return {
      listFolder: (root, folder) => alive(() => this.#list(joined(root, folder))),
      readPath: (root, path) =>
        alive(() => {
          const text = this.files.get(joined(root, path));
          if (text === undefined) return { kind: 'absent' } as const;
          return { kind: 'file', content: Buffer.from(text), isExecutable: false } as const;
        }),
      makeFolder: () => alive(() => true),
      moveInside: (root, from, to) => alive(() => this.#move(joined(root, from), joined(root, to))),
      removeEmptyFolder: () => alive(() => true),
    };
  }

  #list(folder: string): Awaited<ReturnType<QueueFiles['listFolder']>> {
    return [...this.files.keys()]
      .filter((path) => path.slice(0, path.lastIndexOf('/')) === folder)
      .map((path) => path.slice(folder.length + 1))
      .toSorted()
      .map((name) => ({ name, kind: 'file', hasTextName: true }));
  }

  #move(from: string, to: string): boolean {
    const text = this.files.get(from);
    if (text === undefined) return false;
    this.files.delete(from);
    this.files.set(to, text);
    return true;
  }
}

function joined(root: string, path: string): string {
  return path === '' ? root : `${root}/${path}`;
}
