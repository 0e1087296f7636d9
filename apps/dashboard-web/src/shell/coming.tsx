import { Skeleton, Stack } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { Frame } from './frame';
import { Navigation } from './navigation';

/** At once, while it is not known yet who asks: the frame of the screens, and where their content will stand. */
export function Coming() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  if (path !== '/' && !path.startsWith('/a/')) return null;
  return (
    <Frame switcher={<Skeleton height={98} />} navigation={<Navigation />}>
      <Stack gap="lg" mih="100vh" role="status" aria-busy="true" aria-label="The screen is on its way">
        <Skeleton height={52} width="40%" />
        <Skeleton height={180} />
        <Skeleton height={360} />
      </Stack>
    </Frame>
  );
}
