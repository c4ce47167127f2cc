//! Stop words of the languages that share the Latin script, question words included. A word counts
//! as one only in a text of its language: "die" is an article in German and not in English.

/// Stop words of each language, in the order of `TextLanguage::ALL`.
pub(crate) const LISTS: [&str; 6] = [GERMAN, SPANISH, FRENCH, PORTUGUESE, ITALIAN, DUTCH];

const GERMAN: &str = "\
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis \
bist da damit dann das dass dein deine deinem deinen deiner dem den denn der des dessen deren \
dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen \
einer eines er es etwas euch euer eure für gegen gibt hab habe haben hat hatte hatten hier \
hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden \
jeder jedes jetzt kann kannst kein keine keinem keinen keiner können könnte man manche mein \
meine meinem meinen meiner mich mir mit muss musste müssen nach nicht nichts noch nun nur ob \
oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche soll sollen sollte \
sondern über um und uns unser unsere unserem unseren unserer unter viel vom von vor wann war \
waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden \
weshalb wessen wie wieder wieso wieviel will wir wird wirst wo woher wohin womit wurde wurden \
würde zu zum zur zwischen";

const SPANISH: &str = "\
a adónde al algo algunas algunos ante aquel aquella aquí así aunque cada como con contra cual \
cuando cuanto cuantos cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde donde \
dónde durante e el ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estaba \
estado estamos estar estas este esto estos estoy está están fue fueron fui ha haber había habían \
han has hasta hay he hemos hizo la las le les lo los me mi mis mucho muy más ni no nos nosotros \
nuestra nuestro o os otra otro otros para pero poco por porque puede pueden que quien quienes \
quién quiénes qué se sea según ser si sido sin sobre son soy su sus sí también tan te tener \
tengo ti tiene tienen todo todos tu tus tú un una unas uno unos y ya yo él";

const FRENCH: &str = "\
a ai alors au aucun aussi autre autres aux avait avec avez avoir avons c car ce cela celle celui \
ces cet cette ceux chaque chez ci combien comme comment d dans de depuis des deux dont donc du \
elle elles en encore entre es est et eu eux fait il ils j je l la laquelle le lequel les \
lesquels leur leurs lui là m ma mais me mes moi mon même n ne ni nos notre nous n on ont ou où \
par parce pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui \
quoi s sa sans se sera ses si son sont sous suis sur ta te tes toi ton tous tout toute toutes tu \
très un une vers vos votre vous y à ça été étaient était être";

const PORTUGUESE: &str = "\
a ainda ao aonde aos aquela aquele aquilo as até com como contra da das de dela dele deles \
depois do dos durante e ela elas ele eles em entre era eram essa essas esse esses esta estamos \
estar estas estava este estes estou está estão eu foi foram há isso isto já lhe lhes mais mas me \
mesmo meu meus minha minhas muito na nas nem no nos nossa nosso não nós num numa o onde os ou \
para pela pelas pelo pelos pode podem por porque porquê pouco qual quais quando quanta quantas \
quanto quantos que quem quê se sem ser será seu seus sido sobre sou sua suas são só também te \
tem ter teve tinha tu tua tudo têm um uma umas uns você vocês vos à às é";

const ITALIAN: &str = "\
a abbia abbiamo agli ai al alcuni alla alle allo anche ancora avere aveva avevano c che chi ci \
coi col come con contro cosa così cui da dagli dai dal dalla dalle dallo degli dei del dell \
della delle dello di dopo dove durante e ed era erano essere fa fino fra fu furono gli ha hai \
hanno ho i il in io l la le lei li lo loro lui ma me mentre mi mia mie miei mio molto ne negli \
nei nel nell nella nelle nello noi non nostra nostro o ogni ora per perché però più poi prima \
può qual quale quali quando quanta quante quanti quanto quella quelle quelli quello questa \
queste questi questo qui se sei senza si sia siamo siete sono sopra sotto stata stati stato su \
sua sue sugli sui sul sulla suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi è";

const DUTCH: &str = "\
aan al alle alles als andere ben bij daar dan dat de deze die dit doch doen door dus een er eens \
en ge geen geweest had hadden haar heb hebben heeft hem het hier hij hoe hoeveel hun ik in iets \
ik is ja je jij jou jouw jullie kan kon kunnen maar me meer men met mij mijn moet na naar niet \
niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw van \
veel voor waar waarom wanneer waren was wat we wel welk welke werd werden wezen wie wij wil \
worden wordt zal ze zei zich zij zijn zo zonder zou zullen";

/// Words that are stop words elsewhere and occur in English texts too, as words or in names: they
/// speak for English as much as for the other language.
pub(crate) const SHARED_WITH_ENGLISH: &str = "\
a al also bin c car come comment con contra d da das de del den der des die dos dove du e el en \
er era es est et fa fait fu ha han has he hem her hinter i in io is j ja l la las le les li lo \
los m ma man mar me men mes met mi mir mit mon n na nos o of on ont os over par per plus pour \
que qui s sa san se ses si sin son sous su sui sur ta te tes ti tot tu u un una une uno van ver \
via von war was y ya";
