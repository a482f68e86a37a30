// Buttons for pictures, series of pictures and films.
import { iconButton, setIcon } from '../base/dom';
import type { Player } from '../player';
import type { Stage } from '../scene/stage';
import { film, picture, savePicture, saveSeries } from './capture';
import { dark } from './theme';

export interface Capture {
  buttons: HTMLElement[];
  picture: () => HTMLCanvasElement;
  save: () => void;
}

const MOST = 600; // pictures of a series: a browser keeps the zip in memory

export function makeCaptureButtons(stage: Stage, player: Player, name: string, words: () => string[], tell: (words: string) => void): Capture {
  const shoot = (): HTMLCanvasElement => picture(stage, words(), dark.value);
  const save = (): void => void savePicture(shoot(), `${name}_${String(player.frame.value).padStart(6, '0')}`).catch((e: Error) => tell(e.message));

  let stop: (() => void) | null = null;
  const record = iconButton('film', 'Film: plays the run from the start and saves it', () => {
    if (stop) {
      stop();
      return;
    }
    const running = film(stage, name);
    if (running) {
      stop = () => {
        running.stop();
        stop = null;
        player.pause();
        setIcon(record, 'film', 'Film: plays the run from the start and saves it');
        record.setAttribute('aria-pressed', 'false');
        tell('');
      };
      setIcon(record, 'pause', 'Stop the film and save it');
      record.setAttribute('aria-pressed', 'true');
      tell('Filming the view …');
      player.loop.value = false;
      player.goTo(0);
      player.play();
    } else void series();
  }, { 'aria-pressed': 'false' });
  player.playing.on((on) => {
    if (!on && stop) stop();
  });

  let busy = false, halt = false;
  async function series(): Promise<void> {
    if (busy) {
      halt = true;
      return;
    }
    busy = true;
    halt = false;
    player.pause();
    const back = player.frame.value;
    const every = Math.max(1, Math.ceil(player.frames.count / MOST));
    const total = Math.ceil(player.frames.count / every);
    try {
      await saveSeries(player.frames.count, every, async (k) => {
        await player.frames.want(k);
        player.goTo(k);
        if (player.tick(performance.now())) stage.frameChanged();
        return shoot();
      }, name, (done) => tell(`Picture ${done} of ${total}; press again to stop`), () => halt);
      tell('');
    } catch (error) {
      tell((error as Error).message);
    }
    player.goTo(back);
    player.invalidate();
    busy = false;
  }
  const pictures = iconButton('next', 'All frames as pictures (PNG in a zip)', () => void series());
  pictures.replaceChildren('PNG…');
  pictures.classList.remove('icon');

  return { buttons: [iconButton('camera', 'Save a picture (S)', save), record, pictures], picture: shoot, save };
}
