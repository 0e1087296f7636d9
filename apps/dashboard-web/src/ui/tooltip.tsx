import type { TooltipProps } from '@mantine/core';
import { later } from './later';

const useWhole = later(() => import('./whole-tooltip'));

/** A text that stands beside its child on hover and focus. */
export function Tooltip({ children, ...rest }: TooltipProps) {
  const whole = useWhole();
  return whole ? <whole.Tooltip {...rest}>{children}</whole.Tooltip> : children;
}
