import type { Texts } from './types.ts';

export const pl: Texts = {
  greeting: 'Dzień dobry! W czym mogę pomóc?',
  noAnswer: 'Przepraszam, nie udało mi się znaleźć odpowiedzi na naszych stronach pomocy. Proszę zapytać inaczej.',
  orPerson: 'Można też poprosić o rozmowę z człowiekiem.',
  trouble: 'Przepraszam, nie mogę teraz tego sprawdzić. Proszę spróbować ponownie za kilka minut.',
  cut: '_Odpowiedź została przerwana. Proszę zapytać jeszcze raz._',
  handedOff: 'Ta rozmowa została przekazana naszemu zespołowi. Odpowiedź pojawi się tutaj.',
  noPerson:
    'Przepraszam, na tym czacie nie mogę połączyć z nikim z zespołu. Proszę zadać pytanie, a poszukam odpowiedzi na naszych stronach pomocy.',
  thanks: 'Nie ma za co! Czy mogę pomóc w czymś jeszcze?',
  goodbye: 'Do widzenia! W razie pytań zapraszam ponownie.',
  abuse: 'Przykro mi, że to takie irytujące. Proszę napisać w kilku słowach, o co chodzi, a spróbuję jeszcze raz.',
  identity: 'Jestem chatbotem, nie człowiekiem. Odpowiadam na pytania na podstawie naszych stron pomocy.',
  stop: 'Dobrze, na tym kończę. Zawsze można do mnie napisać ponownie.',
  actions: {
    confirm: 'Proszę sprawdzić dane i potwierdzić. Do tego czasu nic nie zrobię.',
    done: 'Gotowe: {it}.',
    failed: 'Nie udało się: {it}. Nic nie zostało zmienione.',
    notLookedUp: 'Nie udało mi się teraz tego sprawdzić: {it}. Proszę spróbować ponownie za kilka minut.',
    unknown:
      'Nie mam pewności, czy to się udało: {it}. Proszę to sprawdzić przed ponowną próbą. Nasz zespół już o tym wie.',
    working: 'To potrwa trochę dłużej: {it}. Wynik podam tutaj.',
    declined: 'Dobrze, nie zrobię tego: {it}.',
    expired: 'Nie było potwierdzenia na czas, więc nic nie zostało zrobione: {it}.',
    cancelled: 'Nic nie zostało zrobione: {it}.',
    doneAfterAll: 'Nowe informacje o „{it}”: jednak się udało.',
    notDoneAfterAll: 'Nowe informacje o „{it}”: nie udało się.',
    signIn: 'Mogę to zrobić po zalogowaniu: {it}. Proszę zalogować się na tej stronie i poprosić ponownie.',
    ask: '{it}?',
    askAgain: 'Przepraszam, to nie wygląda poprawnie. {it} Aby przerwać, proszę napisać „anuluj”.',
    gaveUp: 'Przepraszam, nie rozumiem, więc nic nie zostało zrobione. Proszę śmiało zapytać ponownie.',
  },
};
