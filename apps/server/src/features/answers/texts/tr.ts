import type { Texts } from './types.ts';

export const tr: Texts = {
  greeting: 'Merhaba! Size nasıl yardımcı olabilirim?',
  noAnswer: 'Üzgünüm, yardım sayfalarımızda buna bir yanıt bulamadım. Sorunuzu başka bir şekilde sormayı deneyin.',
  orPerson: 'Bir temsilciyle görüşmek istediğinizi de yazabilirsiniz.',
  trouble: 'Üzgünüm, şu anda buna bakamıyorum. Lütfen birkaç dakika sonra tekrar deneyin.',
  cut: '_Yanıt yarıda kesildi. Lütfen tekrar sorun._',
  handedOff: 'Sohbetinizi ekibimize ilettim. Size buradan yanıt verilecek.',
  noPerson: 'Üzgünüm, bu sohbette sizi birine bağlayamıyorum. Sorunuzu yazın, yanıtını yardım sayfalarımızda arayayım.',
  thanks: 'Rica ederim! Yardımcı olabileceğim başka bir konu var mı?',
  goodbye: 'Hoşça kalın! Sorunuz olduğunda yine yazabilirsiniz.',
  abuse: 'Canınızı sıktığım için üzgünüm. Neye ihtiyacınız olduğunu kısaca yazın, yeniden deneyeyim.',
  identity: 'Ben bir sohbet robotuyum, insan değilim. Soruları yardım sayfalarımıza göre yanıtlıyorum.',
  stop: 'Tamam, burada bırakıyorum. İstediğiniz zaman yeniden yazabilirsiniz.',
  actions: {
    confirm: 'Lütfen bilgileri kontrol edip onaylayın. O zamana kadar hiçbir şey yapmayacağım.',
    done: 'Tamamlandı: {it}.',
    failed: 'Olmadı: {it}. Hiçbir şey değiştirilmedi.',
    notLookedUp: 'Şu anda buna bakamadım: {it}. Lütfen birkaç dakika sonra tekrar deneyin.',
    unknown:
      'Bunun gerçekleşip gerçekleşmediğinden emin değilim: {it}. Tekrar denemeden önce lütfen kontrol edin. Ekibimize haber verildi.',
    working: 'Bu biraz daha uzun sürüyor: {it}. Sonucu buraya yazacağım.',
    declined: 'Tamam, bunu yapmıyorum: {it}.',
    expired: 'Zamanında onaylamadığınız için hiçbir şey yapılmadı: {it}.',
    cancelled: 'Hiçbir şey yapılmadı: {it}.',
    doneAfterAll: '“{it}” hakkında yeni bilgi: sonunda gerçekleşti.',
    notDoneAfterAll: '“{it}” hakkında yeni bilgi: gerçekleşmedi.',
    signIn: 'Bunu giriş yaptığınızda yapabilirim: {it}. Lütfen bu sitede giriş yapıp tekrar isteyin.',
    ask: '{it}?',
    askAgain: 'Üzgünüm, bu geçerli görünmüyor. {it} Durdurmak için “iptal” yazın.',
    gaveUp: 'Üzgünüm, bunu anlayamadım ve hiçbir şey yapmadım. Dilerseniz tekrar sorun.',
  },
};
