/**
 * Non-text data in a request. Images have their own bound and are left out of the byte count, but only where the API
 * accepts an image. The same characters anywhere else are text that the model reads.
 */
import { isRecord } from '../../base/json.ts';
import { recordField, recordList, textField } from '../wires/json-shape.ts';
import { isToolData } from './tool-data.ts';
import type { WireName } from '../wires/wire.ts';

type Item = Readonly<Record<string, unknown>>;

export type Images = { readonly count: number; readonly bytes: number };

/** Formats that hold one picture. Any other format may unpack to more. */
const PICTURE = /^image\/(?:png|jpe?g|gif|webp|heic|heif|bmp|avif)$/i;
const TEXT = /^text\//i;

/** The images in these items of a conversation, and how many bytes of the request they take. */
export function imagesIn(wire: WireName, items: readonly unknown[]): Images {
  const found = recordList(items)
    .flatMap((item) => imageBlocks(wire, item))
    .flatMap((block) => readImage(wire, block) ?? []);
  return {
    count: found.length,
    bytes: found.reduce((sum, data) => sum + Buffer.byteLength(JSON.stringify(data)) - 2, 0),
  };
}

/**
 * How many images a value may contain, at any depth: providers accept images in more places than `imagesIn` knows.
 */
export function imagesAnywhere(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + imagesAnywhere(one), 0);
  if (!isRecord(value)) return 0;
  const isImage =
    picture(mediaType(value), value['data']) !== undefined ||
    pictureAt(value['image_url']) !== undefined ||
    (value['type'] === 'image_generation_call' && typeof value['result'] === 'string');
  return Object.values(value).reduce<number>(
    (sum, one) => sum + imagesAnywhere(one),
    isImage ? 1 : 0,
  );
}

/** The parts of an item in which the API accepts images. */
function imageBlocks(wire: WireName, item: Item): readonly Item[] {
  switch (wire) {
    case 'anthropic':
      return recordList(item['content']).flatMap((block) => {
        if (block['type'] === 'tool_result') return recordList(block['content']);
        return [block];
      });
    case 'openai-chat':
      return recordList(item['content']);
    case 'openai-responses':
      return [
        ...recordList(item['content']),
        ...(isRecord(item['output']) ? [item['output']] : recordList(item['output'])),
      ];
    case 'gemini':
      return recordList(item['parts']).flatMap((part) => [
        part,
        ...recordList(recordField(part['functionResponse'])['parts']),
      ]);
  }
}

/** The characters of the image, or undefined. */
function readImage(wire: WireName, block: Item): string | undefined {
  switch (wire) {
    case 'anthropic': {
      const source = recordField(block['source']);
      const isImage = block['type'] === 'image' && source['type'] === 'base64';
      return isImage ? picture(textField(source['media_type']), source['data']) : undefined;
    }
    case 'openai-chat':
      return block['type'] === 'image_url' ? pictureAt(block['image_url']) : undefined;
    case 'openai-responses': {
      const isImage = block['type'] === 'input_image' || block['type'] === 'computer_screenshot';
      return isImage ? pictureAt(block['image_url']) : undefined;
    }
    case 'gemini': {
      const inline = recordField(block['inlineData'] ?? block['inline_data']);
      return picture(mediaType(inline), inline['data']);
    }
  }
}

function picture(type: string, data: unknown): string | undefined {
  return PICTURE.test(type) && typeof data === 'string' ? data : undefined;
}

function pictureAt(value: unknown): string | undefined {
  const address = isRecord(value) ? value['url'] : value;
  return picture(inlineType(address) ?? '', address);
}

/** The media type of a `data:` address. */
function inlineType(address: unknown): string | undefined {
  return /^\s*data:([^;,]*)[;,]/i.exec(textField(address).slice(0, 200))?.[1];
}

function mediaType(item: Item): string {
  return (
    textField(item['media_type']) || textField(item['mimeType']) || textField(item['mime_type'])
  );
}

const ADDRESSES = ['image_url', 'file_url', 'video_url', 'audio_url', 'fileUri', 'file_uri'];

/** Whether a value holds data that grows at the provider: documents, sound, video, texts to cite from. */
export function unpacks(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(unpacks);
  if (!isRecord(value)) return false;
  if (typeof value['file_data'] === 'string') return true;
  if (isRecord(value['input_audio']) || isRecord(value['inputAudio'])) return true;
  // For citations the provider cuts a text into sentences and marks each one.
  if (recordField(value['citations'])['enabled'] === true) return true;
  const isInline = value['type'] === 'base64' || mediaType(value) !== '';
  if (isInline && typeof value['data'] === 'string' && isPacked(mediaType(value))) return true;
  for (const key of ADDRESSES) {
    const one = value[key];
    const type = inlineType(isRecord(one) ? one['url'] : one);
    if (type !== undefined && isPacked(type)) return true;
  }
  return Object.entries(value).some(([key, one]) => !isToolData(value, key) && unpacks(one));
}

function isPacked(type: string): boolean {
  return !PICTURE.test(type) && !TEXT.test(type);
}
