const MAX_LENGTH = 300;

/** Control characters, characters that turn text around or hide it, and line ends. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A stranger's text to show: up to 300 visible characters, and none that HTML takes for a tag. */
export function presentable(text: string): string {
  const visible = text.replace(INVISIBLE, '\ufffd').replaceAll('<', '‹').replaceAll('>', '›');
  const characters = [...visible];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : visible;
}
